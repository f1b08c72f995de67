import { currentSchema } from '#lib/iceberg/metadata/parse-metadata.ts'
import { liveRowsOf, readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import { openDuckDbSession } from '#lib/table-engine/duckdb-session.ts'
import { quoteIdentifier } from '#lib/table-engine/sql.ts'
import { openIcebergTable } from './open-iceberg-table.ts'
import type { Statement, TableName } from './parse-statement.ts'
import { commitChange, dataFolder, type QueryRun, readTable, storedAs, writeRows } from './query-table.ts'
import { runMerge } from './run-merge.ts'

const MEMORY_MIB = 512

export type StatementRun = Omit<QueryRun, 'session'> & { scratchDir: string }

/** Does a statement in a database of its own. Resolves to the rows that it has written, where Athena says so. */
export type RunStatement = (statement: Statement, run: StatementRun) => Promise<number>

/** DuckDB does it: for what fits one machine. */
export const runStatement: RunStatement = async ({ merge, ...statement }, { scratchDir, ...run }) => {
  const session = await openDuckDbSession({ scratchDir, memoryLimitMiB: MEMORY_MIB, threads: 1 })
  try {
    if (merge) return await runMerge({ ...statement, merge }, { session, ...run })
    await runOptimize(statement.target, { session, ...run })
    return 0
  } finally {
    await session.close()
  }
}

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
