import { currentSchema } from '#lib/iceberg/metadata/parse-metadata.ts'
import { liveRowsOf, readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import { quoteIdentifier } from '#lib/table-engine/sql.ts'
import { openIcebergTable } from './open-iceberg-table.ts'
import type { TableName } from './parse-statement.ts'
import { commitChange, dataFolder, type QueryRun, readTable, storedAs, writeRows } from './query-table.ts'

/** Amazon Athena User Guide, "Create Iceberg tables": three quarters of the default size of a file. */
const SMALL_BYTES = 384 * 1024 ** 2

/** Does an OPTIMIZE as Athena does it: small files, and those with deleted rows, become one, in one commit. */
export const runOptimize = async (
  name: TableName,
  { s3, tables, session, queryId, onScan }: QueryRun,
): Promise<void> => {
  const target = await readTable(s3, tables, name)
  const { objects, metadata } = target
  const live = await readLiveFiles(objects.read, metadata)
  const places = new Set(
    [...live.entries()]
      .filter(([, { file, positionDeletes }]) => file.bytes < SMALL_BYTES || positionDeletes.length > 0)
      .map(([index]) => index),
  )
  const packed = live.filter((_, index) => places.has(index))
  const others = live.filter((_, index) => !places.has(index))
  const isDone = packed.length === 1 && packed.every(({ positionDeletes }) => positionDeletes.length === 0)
  if (packed.length === 0 || isDone) return
  const files = packed.flatMap(({ file, positionDeletes }) => [file, ...positionDeletes])
  onScan(files.reduce((bytes, file) => bytes + file.bytes, 0))

  await openIcebergTable({ ...target, session, s3, read: objects.read, view: 'packed', prefix: 'packed' })
  const columns = currentSchema(metadata).fields.map(
    field => `${quoteIdentifier(field.name.toLowerCase())} AS ${storedAs(field.name)}`,
  )
  const select = `SELECT ${columns.join(', ')} FROM packed WHERE "$file" IN (${[...places].join(', ')}) ORDER BY "$file", "$pos"`
  const hasRows = packed.some(file => liveRowsOf(file) > 0)
  const writing = { s3, objects, folder: dataFolder(target), metadata, select }
  const kept = new Set(others.flatMap(({ positionDeletes }) => positionDeletes.map(({ path }) => path)))
  const deletes = packed.flatMap(({ positionDeletes }) => positionDeletes.map(({ path }) => path))
  const change = {
    operation: 'replace',
    added: hasRows ? [await writeRows(session, writing)] : [],
    removedData: new Set(packed.map(({ file }) => file.path)),
    removedDeletes: new Set(deletes.filter(path => !kept.has(path))),
  } as const
  await commitChange(target, { change, queryId, tables })
}
