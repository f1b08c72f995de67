import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { ITEM_BYTES } from '../../config/answer-limits.ts'
import type { Job } from '../../config/job-schema.ts'
import type { ResponseSettings } from '../../config/response-schema.ts'
import { findItems } from '../../values/select/find-items.ts'
import { keysOf } from '../../values/select/json-path.ts'
import { likePattern } from '../../values/select/like-pattern.ts'
import type { Log } from '../masking/log.ts'
import { damagedAnswer, messageOf } from './answer-error.ts'
import { csvRecords } from './csv-records.ts'
import { firstHeader, type HttpResponse } from './http-response.ts'
import { type ItemFile, writeItems } from './item-file.ts'
import { type AnswerFile, type BodySource, type Bytes, isPacked, unpack } from './unpack.ts'
import { xmlItems } from './xml-items.ts'

type Format = 'json' | 'jsonl' | 'csv' | 'xml'

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
const formatOf = (format: ResponseSettings['format'], { contentType, names }: Said): Format => {
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
  /** For paginators and stop rules: XML outside of the items, JSON of a single file, else nothing. */
  response: Json
  items: ItemFile
}

/** Whether an answer is plain JSON, which is read as ever. */
export const isPlainJson = async (response: HttpResponse, settings: ResponseSettings): Promise<boolean> =>
  response.file === undefined &&
  !(await isPacked(response.body)) &&
  formatOf(settings.format, saidBy(response, undefined)) === 'json'

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
  const { settings, folder, limitBytes } = options
  const source: BodySource = response.file === undefined ? response.body : { file: response.file }
  let rest: Json = []
  let files = 0

  const items = async function* (): AsyncGenerator<Json> {
    for await (const file of unpack(source, { limitBytes, wants: matcher(settings.files) })) {
      files++
      const format = formatOf(settings.format, saidBy(response, file.name))
      yield* itemsOf(format, file, found => {
        rest = files === 1 ? found : []
      })
    }
  }

  const itemsOf = (
    format: Format,
    { content, name }: AnswerFile,
    onRest: (rest: Json) => void,
  ): AsyncIterable<Json> => {
    switch (format) {
      case 'json':
        return itemsOfJson(content, encodingOf(name), onRest)
      case 'jsonl':
        return jsonLines(textOf(content, encodingOf(name)))
      case 'csv':
        return csvRecords(textOf(content, encodingOf(name)), settings)
      case 'xml':
        return xmlItems(textOf(content, encodingOf(name)), {
          path: xmlPath(options),
          lists: settings.lists ?? [],
          objects: settings.objects ?? [],
          onRest,
        })
    }
  }

  /** JSON is parsed as a whole: `bodyLimitBytes` holds for it. */
  const itemsOfJson = async function* (
    content: AnswerFile['content'],
    encoding: string,
    onRest: (rest: Json) => void,
  ): AsyncGenerator<Json> {
    const parts: string[] = []
    for await (const piece of textOf(content, encoding)) parts.push(piece)
    const json = parsed(parts.join(''))
    const found = findItems(json, options, options.endpoint)
    if (found.warning !== undefined) log.warning(found.warning)
    onRest(json)
    yield* found.items
  }

  /** The charset of an answer says nothing of the files of an archive. */
  const encodingOf = (name: string | undefined): string =>
    settings.encoding ?? (name === undefined ? charsetOf(response.headers) : undefined) ?? 'utf-8'
  const written = await writeItems(folder, items())
  if (files === 0)
    throw new UserError(
      'extractor.response.noFile',
      `The archive holds no file${settings.files === undefined ? '' : ` "${settings.files}"`}`,
    )
  if (written.items === 0) log.warning(`The response holds no items! (endpoint: ${options.endpoint})`)
  return { response: rest, items: written }
}

/** Nothing for what nobody knows. */
const charsetOf = (headers: HttpResponse['headers']): string | undefined => {
  const said = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(firstHeader(headers, 'content-type') ?? '')?.[1]
  try {
    return said === undefined ? undefined : new TextDecoder(said.replace('_', '-')).encoding
  } catch {
    return undefined
  }
}

const parsed = (text: string): Json => {
  try {
    return parseJson(text)
  } catch (cause) {
    throw damagedAnswer('JSON', messageOf(cause), cause)
  }
}

const saidBy = ({ headers, url }: HttpResponse, name: string | undefined) => ({
  contentType: name === undefined ? firstHeader(headers, 'content-type') : undefined,
  names: [name, fileNameOf(headers), URL.parse(url)?.pathname],
})

const fileNameOf = (headers: HttpResponse['headers']): string | undefined =>
  /filename="?([^";]+)/i.exec(firstHeader(headers, 'content-disposition') ?? '')?.[1]?.trim()

/** @throws UserError `extractor.response.xmlPath`: nothing in XML tells a list from one element */
const xmlPath = ({ dataField, endpoint }: AnswerOptions): string[] => {
  const [path, delimiter] =
    typeof dataField === 'object' ? [dataField.path, dataField.delimiter] : [dataField ?? '', undefined]
  const keys = keysOf(path, delimiter || '.')
  if (keys.length > 0) return keys
  throw new UserError(
    'extractor.response.xmlPath',
    `XML needs "dataField": the names of the elements from the root to an item, such as "feed.entry" (endpoint: ${endpoint})`,
  )
}

/** `*` is any text. A name without a slash is looked for in all folders. */
const matcher = (pattern: string | undefined): ((name: string) => boolean) => {
  if (pattern === undefined) return () => true
  const isLike = likePattern(pattern.replaceAll('*', '%'))
  return name => isLike(pattern.includes('/') ? name : (name.split('/').at(-1) ?? ''))
}

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
      return parseJson(line.replace('\u001e', '')) // RFC 7464 begins each with it
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
