import pMap from 'p-map'
import type { DuckDbSession } from './duckdb/duckdb-session.ts'
import { quoteColumn, ROW_PLACE, readParquet } from './duckdb/parquet-sql.ts'
import { type Snapshot, type TableField, TIMESTAMP_ID } from './files/snapshot.ts'
import { TRANSFERS } from './files/table-files.ts'
import type { OpenSource } from './rows/open-files.ts'
import { byId, DIGEST_ID } from './rows/row-digest.ts'
import { findDigest, scanFiles, type WantedColumns } from './rows/scan-files.ts'
import { textSql } from './types/cell-sql.ts'
import { isTyped } from './types/field-type.ts'

interface CompareValuesRequest {
  /** The open files. */
  sources: OpenSource[]
  snapshot: Snapshot
  stagedPaths: string[]
}

/** Whether the file's digests are of exactly these columns. */
export const hasDigestOf = (source: OpenSource, fields: TableField[]): boolean => {
  if (findDigest(source) === -1) return false
  const stored = source.footer.columns
    .map(({ id }) => id)
    .filter(id => id !== DIGEST_ID && id !== TIMESTAMP_ID)
  const current = new Set<number | undefined>(fields.map(({ id }) => id))
  return stored.length === current.size && stored.every(id => current.has(id))
}

/**
 * Sets `is_changed` of each pair in `matches` whose digests have not said it: whether any value of the new row differs.
 *
 * The values of a row are compared as one digest, so that the join does not hold them in memory. They are separated by NUL, which no
 * cell contains, so equal SHA-256 means equal rows.
 */
export const compareValues = async (
  session: DuckDbSession,
  { sources: all, snapshot, stagedPaths }: CompareValuesRequest,
): Promise<void> => {
  const open = await session.query('SELECT DISTINCT file_index FROM matches WHERE is_changed IS NULL')
  const indices = new Set(open.map(([index]) => Number(index)))
  const sources = all.filter(({ index }) => indices.has(index))
  if (sources.length === 0) return
  const fields = byId(snapshot.fields.filter(({ name }) => !snapshot.primaryKey.includes(name)))
  await fetchAll(sources, { fields })
  const values = fields.map(({ name }) => quoteColumn(name)).join(', ')
  const whole =
    fields.length === 0 ? "''" : `sha256(concat_ws(chr(0), ${fields.map(comparableText).join(', ')}))`
  await session.query(`
    UPDATE matches SET is_changed = new.whole <> old.whole
    FROM (
      SELECT file_index, file_row, ${whole} AS whole FROM (${scanFiles(sources, { fields })})
      SEMI JOIN (SELECT file_index, file_row FROM matches WHERE is_changed IS NULL) USING (file_index, file_row)
    ) AS old, (
      SELECT file_index AS staged_file, file_row AS staged_row, ${whole} AS whole
      FROM (SELECT ${[...(values === '' ? [] : [values]), ROW_PLACE].join(', ')} FROM ${readParquet(stagedPaths)})
    ) AS new
    WHERE matches.is_changed IS NULL AND matches.file_index = old.file_index AND matches.file_row = old.file_row
      AND matches.staged_file = new.staged_file AND matches.staged_row = new.staged_row`)
}

/** `concat_ws` passes over NULL, so NULL is a text that no value is. */
const comparableText = (field: TableField): string => {
  const column = quoteColumn(field.name)
  return isTyped(field) ? `coalesce('v' || ${textSql(column, field)}, 'n')` : column
}

const fetchAll = async (sources: OpenSource[], wanted: WantedColumns): Promise<void> => {
  await pMap(sources, source => source.fetch(wanted), { concurrency: TRANSFERS })
}
