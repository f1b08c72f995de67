import { UserError } from '../../errors/errors.ts'
import type { ResponseSettings } from '../config/response-schema.ts'

export type Format = 'json' | 'jsonl' | 'csv' | 'xml'

const byType: readonly (readonly [RegExp, Format])[] = [
  [/^application\/(x-)?(ndjson|jsonl|json-lines|jsonlines|json-seq)$|^text\/jsonl$/, 'jsonl'],
  [/^(application|text)\/(.+\+)?json$/, 'json'],
  [/^(application|text)\/(x-)?csv$|^text\/comma-separated-values$/, 'csv'],
  [/^(application|text)\/(.+\+)?xml$/, 'xml'],
]

const byEnding: Readonly<Record<string, Format>> = {
  json: 'json',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  csv: 'csv',
  xml: 'xml',
}

interface Said {
  /** `Content-Type`; that of an archive says nothing of the files in it. */
  contentType: string | undefined
  /** File names, the nearest first: of the entry of an archive, in the address. */
  names: readonly (string | undefined)[]
}

/**
 * The format of a file: as the configuration says, else as the answer does.
 *
 * @throws UserError `extractor.response.format` when neither says one
 */
export const formatOf = (format: ResponseSettings['format'], { contentType, names }: Said): Format => {
  if (format !== undefined && format !== 'auto') return format
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const found = byType.find(([known]) => known.test(type))?.[1] ?? names.map(byName).find(Boolean)
  if (found !== undefined) return found
  throw new UserError(
    'extractor.response.format',
    `Neither "Content-Type" (${type === '' ? 'missing' : type}) nor a file name says the format of the response: set "format" in "response"`,
  )
}

const byName = (name: string | undefined): Format | undefined => {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(name ?? '')?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined
}
