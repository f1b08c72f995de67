import { UserError } from '../../errors/errors.ts'
import { fillText } from '../http/fill-text.ts'
import type { RequestOptions } from '../http/page-request.ts'
import { isObject, toText } from '../php/php-values.ts'
import type { Json } from '../tables/json-value.ts'
import type { JobContext } from './job-context.ts'
import type { JobPlan } from './job-plan.ts'
import type { Placeholder } from './placeholders.ts'

const DEFAULT_TYPE = 'text/plain; charset=utf-8'

/**
 * The body of a job, its expressions worked out and placeholders of the parent row filled in. Params of a page are
 * filled in when the page is sent.
 *
 * @throws UserError `extractor.request.body` for what is not a single value
 */
export const textBody = (
  { job, path }: JobPlan,
  placeholders: readonly Placeholder[],
  contexts: Record<string, Json>,
  { evaluate }: JobContext,
): Pick<RequestOptions, 'body'> => {
  if (job.body === undefined) return {}
  const { json, form } = job.body
  const at = `jobs.${path}.body`
  if (json !== undefined) return { body: { json: evaluate({ json }, contexts, at)['json'] ?? null } }
  if (form !== undefined) return { body: { form: evaluate(form, contexts, `${at}.form`) } }
  const { text } = evaluate({ text: job.body.text }, contexts, at)
  if (text === undefined || isObject(text) || Array.isArray(text))
    throw new UserError(
      'extractor.request.body',
      `The "text" of the body at jobs.${path} is not a text: write it as one text, or make one with a function.`,
    )
  const values = Object.fromEntries(placeholders.map(({ name, value }) => [name, value]))
  return {
    body: { text: fillText(toText(text), values).text, contentType: job.body.contentType ?? DEFAULT_TYPE },
  }
}
