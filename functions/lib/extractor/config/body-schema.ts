import * as z from 'zod'
import { key, name, optional, record, Value } from './fields.ts'
import { strictObject } from './strict-object.ts'

/** The body of a job's requests where `params` are not all of it. Ours (docs/reference/extractor-jobs.md#text-bodies). */
export const Body = strictObject({
  text: key(
    optional(Value),
    'The body; may be an expression. `{name}` stands for the param or the placeholder of that name.',
  ),
  json: key(
    optional(Value),
    'The body as JSON; values may be expressions. `"{name}"` is the value of that param, and is left out while there is none. Params that it does not name go into the query.',
  ),
  form: key(optional(record(Value)), 'The same as a form.'),
  method: key(z.enum(['GET', 'POST']).default('POST'), 'How it is sent.', 'POST'),
  contentType: key(optional(name), 'Of `text`: sent as `Content-Type`.', 'text/plain; charset=utf-8'),
}).refine(
  body => [body.text, body.json, body.form].filter(given => given !== undefined).length === 1,
  'give exactly one of "text", "json" and "form"',
)

interface MaybeBody {
  body?: unknown
  graphql?: unknown
  method?: string | undefined
}

/** What a job with a text body cannot have. */
export const bodyProblem = ({ body, graphql, method }: MaybeBody): string | undefined => {
  if (body === undefined) return undefined
  if (graphql !== undefined) return '"body" does not go with "graphql", which is the body'
  if (method === 'FORM') return 'a job with "body" and the method FORM has its fields in "form" of the body'
  return undefined
}
