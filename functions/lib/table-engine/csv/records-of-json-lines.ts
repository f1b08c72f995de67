import { UserError } from '../../errors/errors.ts'
import type { Json, JsonObject } from '../../json/json-value.ts'
import { isObject } from '../../json/json-value.ts'
import { parseJson } from '../../json/parse-json.ts'
import { formatRecord } from './format-records.ts'

/** The columns are the keys of so many bytes of lines. */
const LOOKED_AT_BYTES = 8 * 1024 ** 2
const LONGEST_LINE_BYTES = 64 * 1024 ** 2
const WRITTEN_CHARACTERS = 64 * 1024

/**
 * Objects on a line each as CSV (RFC 4180): a header, then every value in quotes. Numbers keep their digits, lists and objects are JSON,
 * null is empty, and so is a key that a line lacks. A blank line is none.
 *
 * Throws `UserError` `invalidCsv` with the line: for one that is no object, and for a key that the first 8 MiB of lines have not.
 */
export async function* recordsOfJsonLines(
  bytes: AsyncIterable<Uint8Array>,
  source: string,
): AsyncGenerator<Uint8Array> {
  const first: JsonObject[] = []
  let columns: string[] | undefined
  let looked = 0
  let written = ''
  const begin = (): string[] => {
    columns = [...new Set(first.flatMap(Object.keys))]
    written += formatRecord(columns)
    for (const row of first) written += formatRecord(cellsOf(row, columns))
    return columns
  }
  for await (const { line, number } of linesOf(bytes, source)) {
    const row = readLine(line, number, source)
    if (columns === undefined) {
      first.push(row)
      looked += line.length
      if (looked >= LOOKED_AT_BYTES) begin()
    } else {
      refuseNewKey(row, columns, number, source)
      written += formatRecord(cellsOf(row, columns))
    }
    if (written.length < WRITTEN_CHARACTERS) continue
    yield Buffer.from(written)
    written = ''
  }
  if (columns === undefined) begin()
  yield Buffer.from(written)
}

const cellsOf = (row: JsonObject, columns: readonly string[]): string[] =>
  columns.map(column => (Object.hasOwn(row, column) ? cellOf(row[column] ?? null) : ''))

const cellOf = (value: Json): string => {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  source: string,
): AsyncGenerator<{ line: Buffer; number: number }> {
  let pieces: Uint8Array[] = []
  let held = 0
  let number = 0
  const take = (last: Uint8Array): { line: Buffer; number: number } => {
    const line = Buffer.concat([...pieces, last])
    pieces = []
    held = 0
    return { line, number: ++number }
  }
  for await (const chunk of bytes) {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      const next = take(chunk.subarray(from, end))
      from = end + 1
      if (!isBlank(next.line)) yield next
    }
    // Whoever gave the chunk may fill it anew.
    if (from < chunk.length) pieces.push(Buffer.from(chunk.subarray(from)))
    held += chunk.length - from
    if (held > LONGEST_LINE_BYTES)
      throw wrong(number + 1, source, `is longer than ${LONGEST_LINE_BYTES} bytes`)
  }
  const last = take(Buffer.alloc(0))
  if (!isBlank(last.line)) yield last
}

const isBlank = (line: Buffer): boolean => line.length < 1024 && line.toString().trim() === ''

const readLine = (line: Buffer, number: number, source: string): JsonObject => {
  let value: Json
  try {
    value = parseJson(number === 1 ? line.toString().replace(/^\ufeff/, '') : line)
  } catch (cause) {
    throw wrong(number, source, `is not valid JSON: ${cause instanceof Error ? cause.message : ''}`)
  }
  if (isObject(value)) return value
  throw wrong(number, source, 'is no object of JSON: each line is one row, with the names of its columns')
}

const refuseNewKey = (row: JsonObject, columns: readonly string[], number: number, source: string): void => {
  const unknown = Object.keys(row).find(key => !columns.includes(key))
  if (unknown !== undefined)
    throw wrong(
      number,
      source,
      `has the key ${JSON.stringify(unknown)}, which no line before it has among the first ${LOOKED_AT_BYTES / 1024 ** 2} MiB. Give it to the first line, with null`,
    )
}

const wrong = (line: number, source: string, problem: string): UserError =>
  new UserError('invalidCsv', `${source} is JSON lines, and line ${line} ${problem}.`, { params: { line } })
