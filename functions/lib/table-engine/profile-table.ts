import { DuckDBBlobValue, type DuckDBValue } from '@duckdb/node-api'
import { quoteColumn } from './duckdb/parquet-sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import { columnNames, type Snapshot, textColumns } from './files/snapshot.ts'
import { openFirstRows } from './first-rows.ts'
import { detectColumns } from './queries/detect-columns.ts'
import { neededColumns } from './rows/find-rows.ts'
import { closeFiles } from './rows/open-files.ts'
import { refuseUnknownColumns } from './rows/row-conditions.ts'
import { scanFiles } from './rows/scan-files.ts'

export interface ProfileQuery {
  /** In this order; default: all. */
  columns?: string[]
  /** At most so many rows are looked at, the first of the table. */
  maxRows: number
  /** Of the columns, as stored. A part of a file that does not fit any more is not read. */
  maxBytes: number
}

interface ColumnProfile {
  name: string
  /** Of a column of texts whose cells are all of one type, or empty, as far as was looked: `BIGINT`, `DOUBLE`, `DATE`, `TIMESTAMP`. */
  guessedType: string | null
  /** Of different values, the empty one included. */
  distinctCount: number
  /** Cells that are empty or null. */
  emptyCount: number
  /** By the type of the column, declared or guessed, else in the order of characters; empty cells left out, at most `MAX_VALUE_LENGTH` characters. */
  min: string | null
  max: string | null
  /** The most frequent values, most frequent first. */
  topValues: { value: string; count: number }[]
}

export interface ProfileResult {
  rowsCount: number
  /** So many of them were looked at. */
  profiledRowsCount: number
  columns: ColumnProfile[]
}

const MAX_VALUE_LENGTH = 100
const TOP_VALUES = 5

/** See `TableEngine.profile`. Reads the row groups that the rows are in, and of them these columns, within the bounds. */
export const profileTable = async (
  context: EngineContext,
  snapshot: Snapshot,
  query: ProfileQuery,
): Promise<ProfileResult> => {
  const all = columnNames(snapshot)
  const names = query.columns && query.columns.length > 0 ? query.columns : all
  refuseUnknownColumns(all, names)
  const { session } = context
  await session.fitTo(names.length)
  const wanted = neededColumns(snapshot, { columns: names })
  const sources = await openFirstRows(context, snapshot, { wanted, ...query })
  if (sources.length === 0 || names.length === 0)
    return { rowsCount: snapshot.rowsCount, profiledRowsCount: 0, columns: names.map(emptyColumn) }
  await session.query(`
    CREATE TEMP TABLE profiled AS
    SELECT ${names.map(quoteColumn).join(', ')}
    FROM (${scanFiles(sources, wanted)})
    ORDER BY file_index, file_row
    LIMIT ${query.maxRows}`)
  await closeFiles(sources)
  const [[rows] = []] = await session.query('SELECT count(*) FROM profiled')
  const columns: ColumnProfile[] = []
  const texts = textColumns(snapshot, names)
  const guessed = await detectColumns(session, texts, 'profiled')
  for (const name of names)
    columns.push(
      await profileColumn(session, name, { guessed: guessed.get(name), isText: texts.includes(name) }),
    )
  return { rowsCount: snapshot.rowsCount, profiledRowsCount: Number(rows ?? 0), columns }
}

const emptyColumn = (name: string): ColumnProfile => ({
  name,
  guessedType: null,
  distinctCount: 0,
  emptyCount: 0,
  min: null,
  max: null,
  topValues: [],
})

const profileColumn = async (
  session: EngineContext['session'],
  name: string,
  { guessed, isText }: { guessed: string | undefined; isText: boolean },
): Promise<ColumnProfile> => {
  const key = guessed === undefined ? (isText ? 'v' : 'k') : `TRY_CAST(v AS ${guessed})`
  const value = `coalesce(${quoteColumn(name)}::VARCHAR, '')`
  const shown = (of: string) => `encode(left(${of}, ${MAX_VALUE_LENGTH}))`
  const [[distinct, empty, min, max] = []] = await session.query(`
    SELECT count(DISTINCT v), count(*) FILTER (v = ''), ${shown(`arg_min(v, ${key}) FILTER (v <> '')`)}, ${shown(`arg_max(v, ${key}) FILTER (v <> '')`)}
    FROM (SELECT ${value} AS v, ${quoteColumn(name)} AS k FROM profiled)`)
  const top = await session.query(`
    SELECT ${shown('v')}, count FROM (
      SELECT v, count(*) AS count FROM (SELECT ${value} AS v FROM profiled) GROUP BY v ORDER BY count DESC, v LIMIT ${TOP_VALUES}
    ) ORDER BY count DESC, v`)
  return {
    name,
    guessedType: guessed ?? null,
    distinctCount: Number(distinct ?? 0),
    emptyCount: Number(empty ?? 0),
    min: textOf(min),
    max: textOf(max),
    topValues: top.map(([text, count]) => ({ value: textOf(text) ?? '', count: Number(count) })),
  }
}

/** Reads bytes, because DuckDB's Node client drops a byte order mark at the start of a text. */
const textOf = (value: DuckDBValue | undefined): string | null =>
  value instanceof DuckDBBlobValue ? Buffer.from(value.bytes).toString('utf8') : null
