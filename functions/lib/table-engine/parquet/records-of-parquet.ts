import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import type { DuckDBValue } from '@duckdb/node-api'
import { UserError } from '../../errors/errors.ts'
import type { FieldType } from '../../iceberg/metadata/types.ts'
import { formatRecord } from '../csv/format-records.ts'
import type { DuckDbSession } from '../duckdb/duckdb-session.ts'
import { quoteLiteral } from '../duckdb/sql.ts'
import { writeRows } from '../files/export-slice.ts'
import { textSql } from '../types/cell-sql.ts'
import type { FileColumn } from '../types/field-type.ts'
import { markSql } from '../types/marked-text.ts'

interface ParquetContent {
  /** At the beginning of a sentence: `The file`, `Slice 2 of 3`. */
  source: string
  /** Told, before the header, what the columns hold. A column whose values do not all fit its type holds texts, and a warning says so. */
  tellTypes?: (types: FileColumn[]) => void
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
 * have, lists and structures as JSON. NULL is empty, and the empty text has a mark (`marked-text.ts`). So the file takes the way of any other load.
 *
 * A row group at a time, as text on the disk. Throws `UserError` `invalidParquet` for a file that cannot be read, and
 * `csvImport.invalidValue` with the column, and the row where it is one, for what is no text, such as bytes.
 */
export async function* recordsOfParquet(
  session: DuckDbSession,
  file: AsyncIterable<Uint8Array>,
  { source, warn, tellTypes }: ParquetContent,
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
    refuseOthers(columns, source)
    const cut = columns.filter(({ isCut }) => isCut).map(column => JSON.stringify(column.name))
    if (cut.length > 0)
      warn?.(`${source} may have nanoseconds in ${cut.join(', ')}: times were read to the microsecond.`)
    const nested = columns.filter(isNested).map(column => JSON.stringify(column.name))
    if (nested.length > 0)
      warn?.(`${source} has lists or structures in ${nested.join(', ')}: they are read as JSON.`)
    if (tellTypes) tellTypes(await run(() => fileColumns(session, { columns, path, warn })))
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
    `SELECT name, type = 'INT96', converted_type = 'DECIMAL', contains(logical_type, 'NanoSeconds()'), contains(logical_type, 'Null'), num_children
    FROM parquet_schema(${quoteLiteral(path)})`,
  )
  const columns = topElements(elements)
  return described.map(([known, described], index) => {
    const [name = known, isInt96, isDecimal, hasNanoseconds, isNull] = columns[index] ?? []
    // DuckDB (1.5.5) reads decimals of more than 38 digits as other numbers, and a column without a type as numbers.
    const type = isNull
      ? 'VARCHAR'
      : isDecimal && !/^DECIMAL/.test(String(described))
        ? 'DECIMAL256'
        : String(described)
    const isCut = isInt96 === true || (hasNanoseconds === true && type !== 'TIMESTAMP_NS')
    return { name: String(name), sql: `c${index}`, type, isCut }
  })
}

/** Each element is followed by its children; the last cell says how many. */
const topElements = (elements: DuckDBValue[][]): DuckDBValue[][] => {
  const top: DuckDBValue[][] = []
  for (let place = 0; place < elements.length; ) {
    top.push(elements[place] ?? [])
    for (let open = 1; open > 0 && place < elements.length; place++)
      open += Number(elements[place]?.at(-1) ?? 0) - 1
  }
  return top
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

/** Values that no column of their type holds here: not finite, finer than a microsecond, before the year 1 or after 9999. */
const misfit = ({ sql, type }: SourceColumn): string | undefined => {
  if (FORMS[type] === 'double') return `NOT isfinite(${sql})`
  if (type === 'TIMESTAMP_NS') return `epoch_ns(${sql}) % 1000 <> 0`
  if (type === 'TIME_NS') return `(${sql})::VARCHAR LIKE '%._______%'`
  if (type.endsWith('HUGEINT')) return `TRY_CAST(${sql} AS DECIMAL(38, 0)) IS NULL`
  return type === 'DATE' || type in FORMS
    ? `NOT isfinite(${sql}) OR ${sql} < '0001-01-01' OR ${sql} >= '10000-01-01'`
    : undefined
}

const fileColumns = async (
  session: DuckDbSession,
  { columns, path, warn }: { columns: SourceColumn[]; path: string; warn: ParquetContent['warn'] },
): Promise<FileColumn[]> => {
  const tests = columns.map(column => {
    const test = misfit(column)
    return test === undefined ? 'false' : `coalesce(bool_or(${test}), false)`
  })
  const names = columns.map(({ sql }) => sql).join(', ')
  const [misfits = []] = await session.runInOrder(
    `SELECT ${tests.join(', ')} FROM read_parquet(${quoteLiteral(path)}) AS file(${names})`,
  )
  return columns.map((column, index) => {
    if (misfits[index] !== true) return typeOf(column)
    warn?.(
      `${JSON.stringify(column.name)} has values that no ${column.type} of a table holds: it is read as text.`,
    )
    return { type: 'string', named: column.type }
  })
}

const typeOf = (column: SourceColumn): FileColumn => {
  const named = column.type
  if (named in FORMS) return { type: FORMS[named] ?? 'string', named }
  if (named.startsWith('DECIMAL('))
    return { type: named.toLowerCase().replaceAll(' ', '') as FieldType, named } // as DuckDB writes it
  if (named === 'UBIGINT') return { type: 'decimal(20,0)', named }
  if (named.endsWith('HUGEINT')) return { type: 'decimal(38,0)', named }
  if (/INT(EGER)?$/.test(named)) return { type: 'long', named }
  if (named === 'BOOLEAN') return { type: 'boolean', named }
  if (named === 'DATE') return { type: 'date', named }
  return { type: 'string', named, ...(named.startsWith('TIME') && { isTime: true }) }
}

/** NULL for bytes that are no text. */
const valueText = ({ sql, type }: SourceColumn): string => {
  if (isNested({ type })) return `to_json(${sql})::VARCHAR`
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
  const value = valueText(column)
  const text = `coalesce(${isText(column) || column.type === 'BLOB' ? markSql(value) : value}, '')`
  return bad === undefined ? text : `CASE WHEN ${bad} THEN error('cell') ELSE ${text} END`
}

const isNested = ({ type }: ColumnType): boolean => /^(STRUCT|MAP)\(|\]$/.test(type)

const refuseOthers = (columns: SourceColumn[], source: string): void => {
  const column = columns.find(
    each =>
      !isText(each) &&
      each.type !== 'BLOB' &&
      !(each.type in FORMS) &&
      !PLAIN.test(each.type) &&
      !isNested(each),
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
