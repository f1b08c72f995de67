import { rm } from 'node:fs/promises'
import { quoteColumn } from './duckdb/parquet-sql.ts'
import { quoteLiteral } from './duckdb/sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import { liveRows, type Snapshot, type TableFile } from './files/snapshot.ts'
import { createPublish } from './local-file.ts'
import { mapAhead } from './map-ahead.ts'
import { closeFiles, type IndexedFile, openDeletes, openFiles } from './rows/open-files.ts'
import { scanDeletes, scanFiles } from './rows/scan-files.ts'
import { copyToParquet, writeParquet } from './write-parquet.ts'

/** A file with more deleted rows than this part of them is rewritten: readers would read too much for nothing. */
const REWRITTEN_PART = 0.1

/** Iceberg Table Spec, "Reserved Field IDs". */
const DELETE_FILE_IDS = ['file_path: 2147483546', 'pos: 2147483545']

interface DeletePositionsRequest {
  snapshot: Snapshot
  /** Prefix of new files. The same when the work is repeated. */
  keyPrefix: string
  /** A table of the session: `file_index` in the snapshot's files, and `file_row`. None of them is deleted already. */
  positions: string
  /** Rewrites each file that has deleted rows. */
  erases?: boolean | undefined
}

/**
 * Deletes rows by their positions. A file that loses rows gets one new file of all its deleted positions. It is
 * rewritten, in the order of the key, when it has lost a tenth of its rows, and dropped when it has lost all.
 */
export const deletePositions = async (
  context: EngineContext,
  { snapshot, keyPrefix, positions, erases = false }: DeletePositionsRequest,
): Promise<TableFile[]> => {
  const { session, threads } = context
  const counts = await session.query(`SELECT file_index, count(*) FROM ${positions} GROUP BY ALL`)
  const lost = new Map(counts.map(([file, count]) => [Number(file), Number(count)]))
  const change = async (file: TableFile, index: number): Promise<TableFile | undefined> => {
    const count = lost.get(index) ?? 0
    if (count === 0 && !(erases && file.deletes)) return file
    const deleted = `SELECT file_row FROM ${positions} WHERE file_index = ${index}`
    const left = liveRows(file) - count
    if (left === 0) return undefined
    const indexed = { file, index }
    if (!erases && file.rows - left < file.rows * REWRITTEN_PART)
      return writeDeletes(context, { indexed, keyPrefix, deleted, left })
    const key = snapshot.primaryKey.map(quoteColumn)
    const select = (rows: string): string =>
      `SELECT * FROM (${rows}) WHERE file_row NOT IN (${deleted}) ORDER BY ${[...key, 'file_row'].join(', ')}`
    return rewriteFile(context, { indexed, snapshot, keyPrefix, name: 'rewritten', select, left })
  }
  const files = await mapAhead(snapshot.files, threads + 1, change)
  return files.filter(file => file !== undefined)
}

interface FileRequest {
  indexed: IndexedFile
  keyPrefix: string
  /** Rows that the file still has. */
  left: number
}

const writeDeletes = async (
  context: EngineContext,
  {
    indexed: { file, index },
    keyPrefix,
    deleted,
    left,
  }: FileRequest & {
    /** SELECT of the newly deleted positions. */
    deleted: string
  },
): Promise<TableFile> => {
  const { session, files: store } = context
  const older = await openDeletes(context, { file, index })
  const name = `deletes-${number(index)}`
  const path = session.scratchPath(`${name}.parquet`)
  const all = `${deleted} ${older ? `UNION ALL SELECT file_row FROM (${scanDeletes([older])})` : ''}`
  const { rows } = await copyToParquet(session, {
    select: `SELECT ${quoteLiteral(store.locationOf(file.key))} AS file_path, file_row AS pos FROM (${all}) ORDER BY pos`,
    ids: DELETE_FILE_IDS,
    path,
  })
  if (rows !== file.rows - left)
    throw new Error(`${file.key} has ${rows} deleted rows, not ${file.rows - left}.`)
  await older?.close()
  const key = `${keyPrefix}${name}.parquet`
  const bytes = await store.upload(path, key)
  await rm(path)
  return { ...file, deletes: { key, rows, bytes } }
}

/** Writes the rows of a file that `select` leaves of its live ones as a new file. */
export const rewriteFile = async (
  context: EngineContext,
  {
    indexed,
    snapshot: { fields, primaryKey },
    keyPrefix,
    name,
    select,
    left,
  }: FileRequest & { snapshot: Snapshot; name: string; select: (rows: string) => string },
): Promise<TableFile> => {
  const wanted = { fields, timestamp: true }
  const sources = await openFiles(context, { files: [indexed], wanted })
  const written = await writeParquet(context.session, {
    name: `${name}-${number(indexed.index)}`,
    fields,
    isKeyed: primaryKey.length > 0,
    select: select(scanFiles(sources, wanted)),
  })
  if (written.rows !== left)
    throw new Error(`${indexed.file.key} was rewritten with ${written.rows} rows, not ${left}.`)
  await closeFiles(sources)
  return createPublish(context, { keyPrefix, fields })(written)
}

const number = (index: number): string => String(index + 1).padStart(5, '0')
