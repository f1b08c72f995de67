import { DuckDBBlobValue, type DuckDBValue } from '@duckdb/node-api'
import type { EngineContext } from './engine-context.ts'
import { findRowGroups, neededColumns } from './find-rows.ts'
import { closeFiles, type OpenSource, openFile } from './open-files.ts'
import { quoteColumn } from './parquet-sql.ts'
import { rowGroupBytes } from './read-bound.ts'
import { refuseUnknownColumns } from './row-conditions.ts'
import { scanFiles, storedColumns, type WantedColumns } from './scan-files.ts'
import { columnNames, type Snapshot } from './snapshot.ts'

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
  /** Of different values, the empty one included. */
  distinctCount: number
  /** Cells that are empty or null. */
  emptyCount: number
  /** In the order of characters, empty cells left out, at most `MAX_VALUE_LENGTH` characters. */
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
  for (const name of names) columns.push(await profileColumn(session, name))
  return { rowsCount: snapshot.rowsCount, profiledRowsCount: Number(rows ?? 0), columns }
}

const emptyColumn = (name: string): ColumnProfile => ({
  name,
  distinctCount: 0,
  emptyCount: 0,
  min: null,
  max: null,
  topValues: [],
})

const openFirstRows = async (
  context: EngineContext,
  snapshot: Snapshot,
  { wanted, maxRows, maxBytes }: ProfileQuery & { wanted: WantedColumns },
): Promise<OpenSource[]> => {
  const sources: OpenSource[] = []
  let rows = 0
  let bytes = 0
  for (const [index, file] of snapshot.files.entries()) {
    if (rows >= maxRows || bytes > maxBytes) break
    const source = await openFile(context, { file, index })
    const places = storedColumns(source, wanted)
    const groups: number[] = []
    for (const group of findRowGroups(source, snapshot, {})) {
      if (rows >= maxRows) break
      bytes += rowGroupBytes(source, group, places)
      if (bytes > maxBytes) break
      groups.push(group)
      rows += source.footer.rowGroups[group]?.rows ?? 0
    }
    if (groups.length === 0) {
      await source.close()
      continue
    }
    await source.fetch(wanted, groups)
    sources.push({ ...source, rowGroups: groups })
  }
  return sources
}

const profileColumn = async (session: EngineContext['session'], name: string): Promise<ColumnProfile> => {
  const value = `coalesce(${quoteColumn(name)}::VARCHAR, '')`
  const shown = (of: string) => `encode(left(${of}, ${MAX_VALUE_LENGTH}))`
  const [[distinct, empty, min, max] = []] = await session.query(`
    SELECT count(DISTINCT v), count(*) FILTER (v = ''), ${shown("min(v) FILTER (v <> '')")}, ${shown("max(v) FILTER (v <> '')")}
    FROM (SELECT ${value} AS v FROM profiled)`)
  const top = await session.query(`
    SELECT ${shown('v')}, count FROM (
      SELECT v, count(*) AS count FROM (SELECT ${value} AS v FROM profiled) GROUP BY v ORDER BY count DESC, v LIMIT ${TOP_VALUES}
    ) ORDER BY count DESC, v`)
  return {
    name,
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
