import { pipeline, Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { ITEM_BYTES, type ResponseSettings } from '../../config/response-schema.ts'
import { damagedAnswer, messageOf } from './http-response.ts'

type CsvSettings = Pick<ResponseSettings, 'delimiter' | 'quote' | 'escape' | 'columns' | 'skipLines'>

/**
 * An item from each record, values as texts. A file without any byte has no records.
 *
 * @throws UserError `extractor.response.damaged` for a record of another length than the header, a quote that is not closed, two columns
 * of one name
 */
export async function* csvRecords(text: AsyncIterable<string>, settings: CsvSettings): AsyncGenerator<Json> {
  let damage: Error | undefined
  const file = await afterSeparator(withoutLines(text, settings.skipLines ?? 0))
  const records = pipeline(
    Readable.from(file.text),
    parse({
      delimiter: settings.delimiter ?? file.delimiter ?? ',',
      quote: settings.quote ?? '"',
      escape: settings.escape ?? settings.quote ?? '"',
      columns: settings.columns === undefined ? columnsOf : columnsOf(settings.columns),
      skip_empty_lines: true,
      max_record_size: ITEM_BYTES,
    }),
    error => {
      damage = error ?? undefined
    },
  )
  try {
    for await (const record of records) yield record as Json // texts by name
  } catch (error) {
    const reason = damage ?? error
    throw reason instanceof UserError ? reason : damagedAnswer('CSV', messageOf(reason), reason)
  }
}

const columnsOf = (header: readonly string[]): string[] => {
  const names = header.map((name, index) => (name.trim() === '' ? `column_${index + 1}` : name.trim()))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return names
  throw damagedAnswer(
    'CSV',
    `there are two columns "${twice}". Name them in "columns" and leave out the header by "skipLines"`,
  )
}

/** Excel writes `sep=;` in the first line for what separates the cells. */
const afterSeparator = async (
  text: AsyncGenerator<string>,
): Promise<{ delimiter: string | undefined; text: AsyncIterable<string> }> => {
  let start = ''
  let isEnd = false
  while (start.length < 'sep=;\r\n'.length && !isEnd) {
    const { value, done } = await text.next()
    if (done === true) isEnd = true
    else start += value
  }
  const [line = '', delimiter] = /^sep=([^\r\n])\r?\n/i.exec(start) ?? []
  const rest = async function* (): AsyncGenerator<string> {
    if (start.length > line.length) yield start.slice(line.length)
    yield* text
  }
  return { delimiter, text: rest() }
}

/** A report may say above its header what it is. */
async function* withoutLines(text: AsyncIterable<string>, count: number): AsyncGenerator<string> {
  let left = count
  for await (const piece of text) {
    let from = 0
    while (left > 0) {
      const end = piece.indexOf('\n', from)
      if (end < 0) break
      from = end + 1
      left--
    }
    if (left === 0 && from < piece.length) yield piece.slice(from)
  }
}
