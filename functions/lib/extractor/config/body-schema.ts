import { key, name, optional, Value } from './fields.ts'
import { strictObject } from './strict-object.ts'

/** The body of a job's requests as text. Ours (docs/reference/extractor-jobs.md#text-bodies). */
export const TextBody = strictObject({
  text: key(
    Value,
    'The body; may be an expression. `{name}` stands for the param or the placeholder of that name.',
  ),
  contentType: key(optional(name), 'Sent as `Content-Type`.', 'text/plain; charset=utf-8'),
})

interface MaybeBody {
  body?: unknown
  graphql?: unknown
  method?: string | undefined
}

/** What a job with a text body cannot have. */
export const bodyProblem = ({ body, graphql, method }: MaybeBody): string | undefined => {
  if (body === undefined) return undefined
  if (graphql !== undefined) return '"body" does not go with "graphql", which is the body'
  if (method === 'FORM') return 'a job with "body" sends its text, not a form'
  return undefined
}
