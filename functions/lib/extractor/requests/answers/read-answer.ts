import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { UserError } from '#lib/errors/errors.ts'
import { isObject, type Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import type { ResponseSettings } from '../../config/response-schema.ts'
import { refuseHostile } from '../http/parse-response.ts'
import type { Log } from '../masking/masker.ts'
import { damagedAnswer, type HttpResponse, messageOf, saidCharset } from './http-response.ts'
import { type ItemFile, writeItems } from './item-file.ts'

/** Of one item in memory: a line, a CSV record. */
const ITEM_BYTES = 16 * 1024 * 1024

/** How the answers of a job are read that are no JSON. */
export interface AnswerOptions {
  settings: ResponseSettings
  endpoint: string
  /** Where their items wait; a leg that resumes needs it unchanged. */
  folder: string
}

/**
 * Reads a whole answer, piece by piece, into a file of items. An answer that is damaged or was cut off gives no item.
 *
 * @throws UserError `extractor.response.damaged`
 */
export const readAnswer = async (
  { body, file, headers }: HttpResponse,
  { settings, folder, endpoint }: AnswerOptions,
  log: Log,
): Promise<ItemFile> => {
  const content = file === undefined ? Readable.from([body]) : createReadStream(file)
  const text = textOf(content, settings.encoding ?? saidCharset(headers) ?? 'utf-8')
  const items = await writeItems(
    folder,
    settings.format === 'csv' ? csvRecords(text, settings) : jsonLines(text),
  )
  if (items.items === 0) log.warning(`The response holds no items! (endpoint: ${endpoint})`)
  return items
}

/**
 * The text of a file, in pieces, without a byte order mark.
 *
 * @throws UserError `extractor.response.damaged` for bytes that the encoding does not have: they would be lost
 */
async function* textOf(content: AsyncIterable<Uint8Array>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (cause) {
      throw damagedAnswer(`text in ${encoding}`, 'name the right "encoding" in "response"', cause)
    }
  }
  for await (const bytes of content) {
    const text = decode(bytes)
    if (text !== '') yield text
  }
  const end = decode()
  if (end !== '') yield end
}

/**
 * A JSON value from each line; empty lines are left out.
 *
 * @throws UserError `extractor.response.damaged` with the number of the line
 */
async function* jsonLines(text: AsyncIterable<string>): AsyncGenerator<Json> {
  let rest = ''
  let number = 0
  const read = (line: string): Json | undefined => {
    number++
    if (line.trim() === '') return undefined
    try {
      return parseJson(line.replace('\u001e', ''), refuseHostile) // RFC 7464 begins each with it
    } catch (cause) {
      throw damagedAnswer('JSON lines', `line ${number}: ${messageOf(cause)}`, cause)
    }
  }
  for await (const piece of text) {
    const lines = piece.split('\n')
    lines[0] = rest + lines[0]
    rest = lines.pop() ?? ''
    if (rest.length > ITEM_BYTES)
      throw damagedAnswer(
        'JSON lines',
        `line ${number + lines.length + 1} is longer than ${ITEM_BYTES} characters`,
      )
    for (const line of lines) {
      const item = read(line)
      if (item !== undefined) yield* itemsIn(item)
    }
  }
  const last = read(rest)
  if (last !== undefined) yield* itemsIn(last)
}

/** A list of objects in one line is a JSON document that was taken for lines. */
const itemsIn = (line: Json): readonly Json[] => (Array.isArray(line) && isObject(line[0]) ? line : [line])

type CsvSettings = Pick<ResponseSettings, 'delimiter' | 'quote' | 'escape' | 'columns' | 'skipLines'>

/**
 * An item from each record, values as texts. A file without any byte has no records.
 *
 * @throws UserError `extractor.response.damaged` for a record of another length than the header, a quote that is not closed, two columns
 * of one name
 */
async function* csvRecords(text: AsyncIterable<string>, settings: CsvSettings): AsyncGenerator<Json> {
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
