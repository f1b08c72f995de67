import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { UserError } from '#lib/errors/errors.ts'
import { isObject, type Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import type { Job } from '../../config/job-schema.ts'
import type { ResponseSettings } from '../../config/response-schema.ts'
import { findItems } from '../../values/select/find-items.ts'
import { atMost, type Bytes, begin, decoded, isGzip } from '../http/decode-encodings.ts'
import { NetworkFailure } from '../http/network-failure.ts'
import { refuseHostile } from '../http/parse-response.ts'
import type { Log } from '../masking/masker.ts'
import { damagedAnswer, firstHeader, type HttpResponse, messageOf, saidCharset } from './http-response.ts'
import { type ItemFile, writeItems } from './item-file.ts'

/** Of one item in memory: a line, a CSV record. */
const ITEM_BYTES = 16 * 1024 * 1024

type Format = 'json' | 'jsonl' | 'csv'

const byType: readonly (readonly [RegExp, Format])[] = [
  [/^application\/(x-)?(ndjson|jsonl|json-lines|jsonlines|json-seq)$|^text\/jsonl$/, 'jsonl'],
  [/^(application|text)\/(.+\+)?json$/, 'json'],
  [/^(application|text)\/(x-)?csv$|^text\/comma-separated-values$/, 'csv'],
]

const byEnding: Readonly<Record<string, Format>> = {
  json: 'json',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  csv: 'csv',
}

/**
 * The format of an answer: as the configuration says, else as the answer does.
 *
 * @throws UserError `extractor.response.format` when neither says one
 */
const formatOf = (format: ResponseSettings['format'], { headers, url }: HttpResponse): Format => {
  if (format !== undefined && format !== 'auto') return format
  const type = firstHeader(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  const names = [fileNameOf(headers), URL.parse(url)?.pathname]
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

/** How the answers of a job are read, with where their items wait. */
export interface AnswerOptions {
  settings: ResponseSettings
  dataField: Job['dataField']
  endpoint: string
  /** Folder of the items; a leg that resumes needs it unchanged. */
  folder: string
  limitBytes: number
}

/** The items of an answer, on disk, and what stands beside them. */
interface Answer {
  /** For paginators and stop rules: JSON, else nothing. */
  response: Json
  items: ItemFile
}

/** Whether an answer is plain JSON, which is read as ever. */
export const isPlainJson = (response: HttpResponse, settings: ResponseSettings): boolean =>
  response.file === undefined && !isGzip(response.body) && formatOf(settings.format, response) === 'json'

/**
 * Reads a whole answer, piece by piece, into a file of items. An answer that is damaged or was cut off gives no item.
 *
 * @throws UserError `extractor.response.damaged`, `extractor.response.format`, `extractor.response.tooLarge`
 */
export const readAnswer = async (
  response: HttpResponse,
  options: AnswerOptions,
  log: Log,
): Promise<Answer> => {
  const { settings, folder, limitBytes, endpoint } = options
  const content = unpack(response, limitBytes)
  const text = textOf(content, settings.encoding ?? saidCharset(response.headers) ?? 'utf-8')
  let rest: Json = []

  /** JSON is parsed as a whole: `bodyLimitBytes` holds for it. */
  const itemsOfJson = async function* (): AsyncGenerator<Json> {
    rest = parsed((await Array.fromAsync(text)).join(''))
    const found = findItems(rest, options, endpoint)
    if (found.warning !== undefined) log.warning(found.warning)
    yield* found.items
  }

  const itemsOf = { json: itemsOfJson, jsonl: () => jsonLines(text), csv: () => csvRecords(text, settings) }
  const items = await writeItems(folder, itemsOf[formatOf(settings.format, response)]())
  if (items.items === 0) log.warning(`The response holds no items! (endpoint: ${endpoint})`)
  return { response: rest, items }
}

const parsed = (text: string): Json => {
  try {
    return parseJson(text, refuseHostile)
  } catch (cause) {
    throw damagedAnswer('JSON', messageOf(cause), cause)
  }
}

const fileNameOf = (headers: HttpResponse['headers']): string | undefined =>
  /filename="?([^";]+)/i.exec(firstHeader(headers, 'content-disposition') ?? '')?.[1]?.trim()

/**
 * The text of a file, in pieces, without a byte order mark.
 *
 * @throws UserError `extractor.response.damaged` for bytes that the encoding does not have: they would be lost
 */
async function* textOf(content: Bytes, encoding: string): AsyncGenerator<string> {
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

/**
 * The bytes of an answer, without gzip, which is known by its first bytes.
 *
 * @throws UserError `extractor.response.damaged`, `extractor.response.tooLarge`
 */
async function* unpack({ body, file }: HttpResponse, limitBytes: number): AsyncGenerator<Uint8Array> {
  const content = await begin(file === undefined ? Readable.from([body]) : createReadStream(file))
  try {
    yield* isGzip(content.start)
      ? decoded(content.body, 'gzip', limitBytes)
      : atMost(limitBytes, content.body)
  } catch (error) {
    if (!(error instanceof NetworkFailure)) throw error
    throw damagedAnswer('gzip', messageOf(error.cause), error)
  }
}

type CsvSettings = Pick<ResponseSettings, 'delimiter' | 'quote' | 'escape' | 'columns' | 'skipLines'>

/**
 * An item from each record, values as texts. A file without any byte has no records.
 *
 * @throws UserError `extractor.response.damaged` for a record of another length than the header, a quote that is not closed, two columns
 * of one name
 */
async function* csvRecords(text: AsyncIterable<string>, settings: CsvSettings): AsyncGenerator<Json> {
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
