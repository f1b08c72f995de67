import { rm } from 'node:fs/promises'
import pMap from 'p-map'
import type { DuckDbSession } from './duckdb-session.ts'
import { isLocal, type LocalFile, type SnapshotFile } from './local-file.ts'
import { quoteColumn, ROW_PLACE, readParquet } from './parquet-sql.ts'
import { selectRows } from './select-rows.ts'
import { columnNames, type TableField, type TableFile } from './snapshot.ts'
import { TRANSFERS } from './table-files.ts'
import { writeParquet } from './write-parquet.ts'

interface MergeByKeyRequest {
  /** The new rows, in the order of the file. */
  staged: LocalFile[]
  /** The existing rows of the table, if they are kept. */
  existing: TableFile[]
  /** Columns of the table after the load. */
  fields: TableField[]
  primaryKey: string[]
  /** Downloads a file of the table to the session's folder. Resolves to its path. */
  download: (file: TableFile) => Promise<string>
}

/**
 * Merges new rows into a table by its primary key. Drops each old row that a new row with the same key changes. Drops
 * each new row that changes nothing, or that a later row with the same key replaces.
 *
 * Nothing is updated in place: a file without dropped rows stays as it is, the others are rewritten without them. So an
 * updated row moves to the end of the table.
 */
export const mergeByKey = async (
  session: DuckDbSession,
  { staged, existing, fields, primaryKey, download }: MergeByKeyRequest,
): Promise<SnapshotFile[]> => {
  if (staged.length === 0) return existing
  const columns = columnNames({ fields })
  await session.query('CREATE TABLE staged_drops (file_index BIGINT, file_row BIGINT)')
  await session.query('CREATE TABLE existing_drops (file_index BIGINT, file_row BIGINT)')
  const stagedPaths = staged.map(({ path }) => path)
  await session.query(dropEarlierDuplicates(stagedPaths, primaryKey))
  const existingPaths = await pMap(existing, download, { concurrency: TRANSFERS })
  if (existing.length > 0) {
    await findMatches(session, { stagedPaths, existingPaths, columns, primaryKey })
    await session.query(
      'INSERT INTO staged_drops SELECT staged_file, staged_row FROM matches WHERE NOT is_changed',
    )
    await session.query(
      'INSERT INTO existing_drops SELECT existing_file, existing_row FROM matches WHERE is_changed',
    )
  }
  const kept = await dropRows(session, {
    table: 'existing_drops',
    files: existing,
    paths: existingPaths,
    fields,
  })
  const added = await dropRows(session, { table: 'staged_drops', files: staged, paths: stagedPaths, fields })
  await Promise.all(existingPaths.map(path => rm(path)))
  return [...kept, ...added]
}

/** The last record of a key wins: later lines of a file are newer. */
const dropEarlierDuplicates = (paths: string[], primaryKey: string[]): string => {
  const key = primaryKey.map(quoteColumn).join(', ')
  return `
    INSERT INTO staged_drops
    WITH places AS (SELECT ${key}, ${ROW_PLACE} FROM ${readParquet(paths)}),
      last AS (SELECT ${key}, max((file_index, file_row)) AS place FROM places GROUP BY ${key} HAVING count(*) > 1)
    SELECT file_index, file_row FROM places JOIN last USING (${key}) WHERE (file_index, file_row) < last.place`
}

/**
 * Pairs new rows with the old rows of the same key. The other values are compared by digest, so that the join does not
 * hold them in memory. They are separated by NUL, which no cell contains, so equal SHA-256 means equal rows.
 */
const findMatches = async (
  session: DuckDbSession,
  request: { stagedPaths: string[]; existingPaths: string[]; columns: string[]; primaryKey: string[] },
): Promise<void> => {
  const key = request.primaryKey.map(quoteColumn)
  const others = request.columns.filter(column => !request.primaryKey.includes(column)).map(quoteColumn)
  const digest = others.length === 0 ? "''" : `sha256(concat_ws(chr(0), ${others.join(', ')}))`
  const digestRows = async (paths: string[]): Promise<string> => {
    const { values, from } = await selectRows(session, { paths, columns: request.columns })
    return `SELECT ${key.join(', ')}, ${digest} AS _digest, file_index, file_row
      FROM (SELECT ${values}, ${ROW_PLACE} FROM ${from})`
  }
  await session.query(`
    CREATE TABLE matches AS
    SELECT staged.file_index AS staged_file, staged.file_row AS staged_row,
      existing.file_index AS existing_file, existing.file_row AS existing_row,
      staged._digest <> existing._digest AS is_changed
    FROM (
      SELECT * FROM (${await digestRows(request.stagedPaths)}) ANTI JOIN staged_drops USING (file_index, file_row)
    ) AS staged
    JOIN (${await digestRows(request.existingPaths)}) AS existing
      ON ${key.map(column => `staged.${column} = existing.${column}`).join(' AND ')}`)
}

const dropRows = async (
  session: DuckDbSession,
  request: { table: string; files: SnapshotFile[]; paths: string[]; fields: TableField[] },
): Promise<SnapshotFile[]> => {
  const counts = await session.query(`SELECT file_index, count(*) FROM ${request.table} GROUP BY ALL`)
  const dropped = new Map(counts.map(([file, count]) => [Number(file), Number(count)]))
  const rewrite = async (file: SnapshotFile, index: number): Promise<SnapshotFile | undefined> => {
    const count = dropped.get(index) ?? 0
    if (count === 0) return file
    if (count === file.rows) return undefined
    // `files` and `paths` have the same length.
    const source = request.paths[index] as string
    const name = isLocal(file) ? file.name : `kept-${String(index + 1).padStart(5, '0')}`
    const { values, from } = await selectRows(session, { paths: [source], columns: columnNames(request) })
    const written = await writeParquet(session, {
      name,
      fields: request.fields,
      path: session.scratchPath(`${name}-without-dropped.parquet`),
      select: `SELECT ${values} FROM ${from}
        WHERE file_row_number NOT IN (SELECT file_row FROM ${request.table} WHERE file_index = ${index})`,
    })
    if (written.rows !== file.rows - count) {
      throw new Error(`${name} has ${written.rows} rows instead of ${file.rows} less ${count}.`)
    }
    return written
  }
  // The session bounds how many run at a time.
  const files = await Promise.all(request.files.map(rewrite))
  return files.filter(file => file !== undefined)
}
