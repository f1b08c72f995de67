import { rm } from 'node:fs/promises'
import { quoteColumn } from './duckdb/parquet-sql.ts'
import { quoteLiteral } from './duckdb/sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import { liveRows, type Snapshot, type TableFile } from './files/snapshot.ts'
import { createPublish } from './local-file.ts'
import { mapAhead } from './map-ahead.ts'
import { closeFiles, type IndexedFile, openDeletes, openFile } from './rows/open-files.ts'
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
    const isRewritten = erases || file.rows - left >= file.rows * REWRITTEN_PART
    const request = { indexed: { file, index }, snapshot, keyPrefix, deleted, left }
    return isRewritten ? rewrite(context, request) : writeDeletes(context, request)
  }
  const each = async function* () {
    yield* snapshot.files
  }
  const files = await mapAhead(each(), threads + 1, change)
  return files.filter(file => file !== undefined)
}

interface FileRequest {
  indexed: IndexedFile
  snapshot: Snapshot
  keyPrefix: string
  /** SELECT of the newly deleted positions. */
  deleted: string
  /** Rows that the file still has. */
  left: number
}

const writeDeletes = async (
  context: EngineContext,
  { indexed: { file, index }, keyPrefix, deleted, left }: FileRequest,
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

const rewrite = async (
  context: EngineContext,
  { indexed, snapshot, keyPrefix, deleted, left }: FileRequest,
): Promise<TableFile> => {
  const { fields, primaryKey } = snapshot
  const source = await openFile(context, indexed)
  const wanted = { fields, timestamp: true }
  await source.fetch(wanted)
  const written = await writeParquet(context.session, {
    name: `rewritten-${number(indexed.index)}`,
    fields,
    isKeyed: primaryKey.length > 0,
    select: `SELECT * FROM (${scanFiles([source], wanted)})
      WHERE file_row NOT IN (${deleted})
      ORDER BY ${[...primaryKey.map(quoteColumn), 'file_row'].join(', ')}`,
  })
  if (written.rows !== left)
    throw new Error(`${indexed.file.key} was rewritten with ${written.rows} rows, not ${left}.`)
  await closeFiles([source])
  return createPublish(context, { keyPrefix, fields })(written)
}

const number = (index: number): string => String(index + 1).padStart(5, '0')
