import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { UserError } from '../../errors/errors.ts'
import { formatRecord } from '../csv/format-records.ts'
import type { DuckDbSession } from '../duckdb/duckdb-session.ts'
import { quoteLiteral } from '../duckdb/sql.ts'
import { writeRows } from '../files/export-slice.ts'
import { textSql } from '../types/cell-sql.ts'
import type { FieldType } from '../types/field-type.ts'

interface ParquetContent {
  /** At the beginning of a sentence: `The file`, `Slice 2 of 3`. */
  source: string
  /** Told, before the header, what will not be read. */
  warn?: (warning: string) => void
}

interface SourceColumn {
  name: string
  /** A name of our own: under the file's names its columns would hide those that DuckDB adds, `file_row_number` among them. */
  sql: string
  /** As DuckDB writes it. */
  type: string
  /** A time of which DuckDB reads no more than microseconds. */
  isCut: boolean
}

/**
 * The rows of a Parquet file that anybody wrote as CSV (RFC 4180): a header, then every value in quotes, in the form that exports
 * have. NULL is empty. So the file takes the way of any other load.
 *
 * A row group at a time, as text on the disk. Throws `UserError` `invalidParquet` for a file that cannot be read, and
 * `csvImport.invalidValue` with the column, and the row where it is one, for what is no text: lists, structures, bytes.
 */
export async function* recordsOfParquet(
  session: DuckDbSession,
  file: AsyncIterable<Uint8Array>,
  { source, warn }: ParquetContent,
): AsyncGenerator<Uint8Array> {
  const name = randomUUID()
  const path = session.scratchPath(`${name}.parquet`)
  const text = session.scratchPath(`${name}.csv`)
  const run = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      throw isOfFile(error) ? unreadable(source, error, path) : error
    }
  }
  try {
    await writePieces(path, file)
    const columns = await run(() => columnsOf(session, path))
    refuseNested(columns, source)
    const cut = columns.filter(({ isCut }) => isCut).map(column => JSON.stringify(column.name))
    if (cut.length > 0)
      warn?.(`${source} may have nanoseconds in ${cut.join(', ')}: times were read to the microsecond.`)
    yield Buffer.from(formatRecord(columns.map(column => column.name)))
    const names = columns.map(({ sql }) => sql).join(', ')
    for (const { first, last } of await run(() => rowGroupsOf(session, path, source))) {
      const rows = `FROM read_parquet(${quoteLiteral(path)}) AS file(${names}) WHERE file_row_number BETWEEN ${first} AND ${last}`
      const select = `SELECT ${columns.map(cellText).join(', ')} ${rows}`
      await run(async () => {
        try {
          const read = await writeRows(session, { select, path: text, fileType: 'csv' })
          refuseOtherCount(source, { read, said: last - first + 1 })
        } catch (error) {
          throw (await findBadText(session, { columns, rows, source, path })) ?? error
        }
      })
      yield* createReadStream(text, { highWaterMark: 1 << 20 })
    }
  } finally {
    await rm(path, { force: true })
    await rm(text, { force: true })
  }
}

const writePieces = async (path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> => {
  const local = await open(path, 'w')
  try {
    // One after the other: the next piece may overwrite this one.
    for await (const piece of pieces) await local.writeFile(piece)
  } finally {
    await local.close()
  }
}

const columnsOf = async (session: DuckDbSession, path: string): Promise<SourceColumn[]> => {
  const described = await session.runInOrder(`DESCRIBE FROM read_parquet(${quoteLiteral(path)})`)
  const [, ...elements] = await session.runInOrder(
    `SELECT name, type = 'INT96', converted_type = 'DECIMAL', contains(logical_type, 'NanoSeconds()')
    FROM parquet_schema(${quoteLiteral(path)})`,
  )
  // Files whose columns are not all flat have more elements: they are refused by the types of the others.
  const isFlat = elements.length === described.length
  return described.map(([known, described], index) => {
    const [name, isInt96, isDecimal, hasNanoseconds] = (isFlat && elements[index]) || [known]
    // DuckDB (1.5.5) reads decimals of more than 38 digits as other numbers.
    const type = isDecimal && !String(described).startsWith('DECIMAL') ? 'DECIMAL256' : String(described)
    const isCut = isInt96 === true || (hasNanoseconds === true && type !== 'TIMESTAMP_NS')
    return { name: String(name), sql: `c${index}`, type, isCut }
  })
}

const rowGroupsOf = async (
  session: DuckDbSession,
  path: string,
  source: string,
): Promise<{ first: number; last: number }[]> => {
  const [[said] = []] = await session.runInOrder(
    `SELECT num_rows FROM parquet_file_metadata(${quoteLiteral(path)})`,
  )
  const groups = await session.runInOrder(
    `SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(${quoteLiteral(path)}) ORDER BY 1`,
  )
  refuseOtherCount(source, {
    read: groups.reduce((sum, [, rows]) => sum + Number(rows), 0),
    said: Number(said),
  })
  let first = 0
  return groups.map(([, rows]) => {
    const group = { first, last: first + Number(rows) - 1 }
    first += Number(rows)
    return group
  })
}

/** No row is lost without a word: what a file says of its rows is what was read. */
const refuseOtherCount = (source: string, { read, said }: { read: number; said: number }): void => {
  if (read === said) return
  throw new UserError(
    'invalidParquet',
    `${source} says that it has ${said} rows where ${read} can be read. Nothing was loaded. Write the file again.`,
  )
}

type ColumnType = Pick<SourceColumn, 'type'>

const isText = ({ type }: ColumnType): boolean => type === 'VARCHAR' || type === 'JSON'

/** The types whose text is not the one of DuckDB; see `textSql`. */
const FORMS: Record<string, FieldType> = {
  FLOAT: 'double',
  DOUBLE: 'double',
  TIMESTAMP: 'timestamp',
  TIMESTAMP_NS: 'timestamp',
  'TIMESTAMP WITH TIME ZONE': 'timestamptz',
}

const PLAIN = /^(BOOLEAN|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL\(.+\)|DATE|TIME(_NS)?|UUID)$/

/** NULL for bytes that are no text. */
const valueText = ({ sql, type }: SourceColumn): string => {
  if (type === 'BLOB') return `TRY(decode(${sql}))`
  if (type === 'TIMESTAMP_NS')
    return `CASE WHEN epoch_ns(${sql}) % 1000 = 0 THEN ${textSql(`${sql}::TIMESTAMP`, { type: 'timestamp' })}
      ELSE strftime(${sql}, '%Y-%m-%d %H:%M:%S.%n') END`
  return textSql(sql, { type: isText({ type }) ? 'string' : (FORMS[type] ?? 'long') })
}

/** NUL is refused in CSV, too. */
const isBadText = (column: SourceColumn): string | undefined =>
  isText(column) || column.type === 'BLOB'
    ? `${column.sql} IS NOT NULL AND coalesce(contains(${valueText(column)}, chr(0)), true)`
    : undefined

const cellText = (column: SourceColumn): string => {
  const bad = isBadText(column)
  const text = `coalesce(${valueText(column)}, '')`
  return bad === undefined ? text : `CASE WHEN ${bad} THEN error('cell') ELSE ${text} END`
}

const refuseNested = (columns: SourceColumn[], source: string): void => {
  const column = columns.find(
    each => !isText(each) && each.type !== 'BLOB' && !(each.type in FORMS) && !PLAIN.test(each.type),
  )
  if (column) throw badValue(source, { column, what: `has the type ${column.type.slice(0, 100)}` })
}

/** The first value of a row group that is no text. Throws what it is about the first column that cannot be read. */
const findBadText = async (
  session: DuckDbSession,
  { columns, rows, source, path }: { columns: SourceColumn[]; rows: string; source: string; path: string },
): Promise<UserError | undefined> => {
  for (const column of columns) {
    const bad = isBadText(column)
    if (bad === undefined) continue
    const [[place] = []] = await session
      .runInOrder(`SELECT min(file_row_number) ${rows} AND (${bad})`)
      .catch(error => {
        throw isOfFile(error)
          ? unreadable(`${source}, column ${JSON.stringify(column.name)}`, error, path)
          : error
      })
    if (typeof place !== 'bigint') continue
    const row = Number(place) + 1
    return badValue(source, {
      column,
      row,
      what: 'has bytes that are no text in UTF-8, or the character NUL',
    })
  }
  return undefined
}

const badValue = (
  source: string,
  { column, row, what }: { column: SourceColumn; row?: number; what: string },
): UserError =>
  new UserError(
    'csvImport.invalidValue',
    `Load error: ${source}${row === undefined ? '' : `, row ${row}`}, column ${JSON.stringify(column.name)} ${what}. A cell holds ` +
      'text, a number, a truth value, a day, a time or a moment: write it as one of these (JSON, hex). Nothing was loaded.',
    { params: { column: column.name, ...(row !== undefined && { row }) } },
  )

/** Whether an error of DuckDB is one of the file, and not of this machine. */
const isOfFile = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof UserError) &&
  !/no space left|out of memory|could not write|closed before/i.test(error.message)

/** Without the path on this machine, and without the statement that the engine shows from a line of its own on. */
const unreadable = (source: string, cause: unknown, path: string): UserError => {
  const [message = ''] = cause instanceof Error ? cause.message.split(/\n\s*LINE \d+:/) : []
  const said = message.replaceAll(path, source).trim().slice(0, 300)
  return new UserError('invalidParquet', `${source} cannot be read as Parquet: ${said}`, { cause })
}
