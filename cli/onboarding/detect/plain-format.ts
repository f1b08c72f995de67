import { UserError } from '#lib/errors/errors.ts'
import { firstHeader, type HttpResponse } from '#lib/extractor/http/http-response.ts'
import type { JsonObject } from '#lib/extractor/tables/json-value.ts'

/**
 * `response` of a job for an answer that is no JSON.
 *
 * @throws UserError `cli.usage` for one that has to be described by hand
 */
export const plainFormat = ({ headers, body }: HttpResponse): { response: JsonObject; why: string } => {
  const type = firstHeader(headers, 'content-type') ?? ''
  const text = body.subarray(0, 4096).toString('utf8').trimStart()
  const firstLine = text.split('\n')[0] ?? ''
  if (/ndjson|jsonl|json-?lines|json-seq/i.test(type) || isJson(firstLine))
    return { response: { format: 'jsonl' }, why: 'The answer has a JSON value on each line.' }
  if (/\bcsv\b|tab-separated/i.test(type)) {
    const delimiter = [',', ';', '\t', '|'].reduce((best, each) =>
      firstLine.split(each).length > firstLine.split(best).length ? each : best,
    )
    return {
      response: { format: 'csv', ...(delimiter === ',' ? {} : { delimiter }) },
      why: 'The answer is CSV by its Content-Type; its first line names the columns.',
    }
  }
  const form = text.startsWith('<') ? (/^<(!doctype )?html/i.test(text) ? 'a web page' : 'XML') : 'no JSON'
  throw new UserError(
    'cli.usage',
    `The answer is ${form}${type === '' ? '' : ` (${type})`}, of which no configuration can be made by itself. ` +
      'XML and archives: docs/reference/extractor-responses.md.',
  )
}

const isJson = (line: string): boolean => {
  try {
    return typeof JSON.parse(line) === 'object'
  } catch {
    return false
  }
}
