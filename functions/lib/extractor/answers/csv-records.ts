import { pipeline, Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { UserError } from '../../errors/errors.ts'
import { ITEM_BYTES } from '../config/answer-limits.ts'
import type { ResponseSettings } from '../config/response-schema.ts'
import type { Json } from '../tables/json-value.ts'
import { damagedAnswer, messageOf } from './answer-error.ts'

type CsvSettings = Pick<ResponseSettings, 'delimiter' | 'quote' | 'escape' | 'columns' | 'skipLines'>

/**
 * An item from each record, values as texts. A file without any byte has no records.
 *
 * @throws UserError `extractor.response.damaged` for a record of another length than the header, a quote that is not closed, two columns
 * of one name
 */
export async function* csvRecords(text: AsyncIterable<string>, settings: CsvSettings): AsyncGenerator<Json> {
  let damage: Error | undefined
  const records = pipeline(
    Readable.from(withoutLines(text, settings.skipLines ?? 0)),
    parse({
      delimiter: settings.delimiter ?? ',',
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
