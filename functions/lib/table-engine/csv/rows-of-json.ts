import { UserError } from '../../errors/errors.ts'
import type { Json, JsonObject } from '../../json/json-value.ts'
import { isObject } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import { MOST_DEPTH } from '../../json/scan-numbers.ts'
import { marked } from '../types/marked-text.ts'
import { MAX_COLUMNS } from './column-names.ts'
import { formatRecord } from './format-records.ts'
import { type JsonText, JsonValues } from './json-values.ts'
import { textOf } from './text-pieces.ts'

/** Rows that came together, and of how many bytes. */
export interface JsonRows {
  rows: JsonObject[]
  bytes: number
}

const BYTE_ORDER_MARK = /^\ufeff/

/**
 * The objects of a JSON file: of one list, or one on each line.
 *
 * Throws `UserError` `invalidCsv` with line and byte of the file: for what is no JSON, for a value that is no object, and for texts that are
 * none: bytes that are not UTF-8, halves of characters (`\ud83d`), NUL.
 */
export async function* rowsOfJson(
  file: AsyncIterable<Uint8Array>,
  { source, isList }: { source: string; isList: boolean },
): AsyncGenerator<JsonRows> {
  const refuseHere = (problem: string, advice?: string): UserError =>
    refuse(source, { ...values, problem, advice })
  const values: JsonValues = new JsonValues(isList, refuseHere)
  const read = (found: Iterable<JsonText>): JsonRows => {
    const rows: JsonObject[] = []
    let bytes = 0
    for (const text of found) {
      rows.push(rowOf(text, source))
      bytes += text.bytes.length
    }
    return { rows, bytes }
  }
  for await (const piece of textOf(file, refuseHere)) yield read(values.next(piece))
  yield read(values.last())
}

const rowOf = ({ bytes, offset, line }: JsonText, source: string): JsonObject => {
  const fail = (problem: string, advice?: string, at = offset): UserError =>
    refuse(source, { offset: at, line, problem, advice })
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString('utf8')
    .replace(BYTE_ORDER_MARK, '')
  const bad = mayBeNoText.test(text) ? badEscape(text) : undefined
  if (bad)
    throw fail(
      `${bad.escape} is ${bad.escape === NUL ? 'NUL' : 'half a character'}, which no text has`,
      'Export the file again, as text in UTF-8',
      offset + Buffer.byteLength(text.slice(0, bad.index)),
    )
  let value: Json
  try {
    value = parseJson(text, ({ depth }) => {
      if (depth > MOST_DEPTH)
        throw fail(
          `This is nested ${depth} deep`,
          `At most ${MOST_DEPTH} lists and objects are read in each other`,
        )
    })
  } catch (cause) {
    if (cause instanceof UserError) throw cause
    const said = cause instanceof Error ? cause.message : 'This is no JSON'
    throw fail(said.replace(/ \(line \d+ column \d+\)$/, ''))
  }
  if (isObject(value)) return value
  throw fail('This is no object', 'Each row is an object, with the names of its columns as keys')
}

const NUL = '\\u0000'

/** Pairs pass here, too, since most texts have neither. */
const mayBeNoText = /\\u(?:0000|[dD][89a-fA-F])/

/** Whole pairs and all other escapes come first, so that what is left is no text. */
const escapes =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u(?!0000|[dD][89a-fA-F])|\\[^u]|(\\u[\da-fA-F]{4})/g

const badEscape = (json: string): { escape: string; index: number } | undefined => {
  for (const { 1: found, index } of json.matchAll(escapes))
    if (found !== undefined) return { escape: found, index }
  return undefined
}

const refuse = (
  source: string,
  {
    line,
    offset,
    problem,
    advice,
  }: { line: number; offset: number; problem: string; advice?: string | undefined },
): UserError =>
  new UserError(
    'invalidCsv',
    `${source} is not valid JSON at line ${line}, byte ${offset}: ${problem}.${advice ? ` ${advice}.` : ''}`,
    { params: { line, byte: offset } },
  )

/** So much of JSON is kept for when its keys are known; of more, the rest is read twice. */
const KEPT_BYTES = 8 * 1024 ** 2

interface JsonTables {
  /** The keys of all rows, in the order in which they come. */
  columns: string[]
  /** The rows of a file as CSV (RFC 4180): a header, then every value in quotes. */
  records(index: number): AsyncGenerator<Uint8Array>
}

/**
 * Rows of JSON files as those of one table. Numbers keep their digits, lists and objects are JSON, null is empty, and so is a key that a row
 * lacks; the empty text has a mark (`marked-text.ts`). Throws what `open` throws, and `storage.tables.validation.noColumns` for files without keys.
 */
export const tableOfJson = async (
  open: (index: number) => Promise<AsyncIterable<JsonRows>>,
  files: number,
): Promise<JsonTables> => {
  const columns = new Set<string>()
  let kept: JsonRows[][] | undefined = []
  let bytes = 0
  for (let index = 0; index < files; index++) {
    kept?.push([])
    for await (const some of await open(index)) {
      for (const row of some.rows) for (const key of Object.keys(row)) columns.add(key)
      bytes += some.bytes
      if (bytes > KEPT_BYTES) kept = undefined
      kept?.[index]?.push(some)
      // Whoever names them refuses so many: nobody has to read on.
      if (columns.size > MAX_COLUMNS) break
    }
  }
  if (columns.size === 0)
    throw new UserError(
      'storage.tables.validation.noColumns',
      'The file has no keys: each object of JSON is a row, and its keys are the columns of the table.',
    )
  const names = [...columns]
  const records = async function* (index: number): AsyncGenerator<Uint8Array> {
    yield Buffer.from(formatRecord(names))
    for await (const { rows } of kept?.[index] ?? (await open(index)))
      if (rows.length > 0) yield Buffer.from(rows.map(row => formatRecord(cellsOf(row, names))).join(''))
  }
  return { columns: names, records }
}

const cellsOf = (row: JsonObject, columns: readonly string[]): string[] =>
  columns.map(column => (Object.hasOwn(row, column) ? cellOf(row[column] ?? null) : ''))

const cellOf = (value: Json): string => {
  if (value === null) return ''
  return typeof value === 'string' ? marked(value) : JSON.stringify(value)
}
