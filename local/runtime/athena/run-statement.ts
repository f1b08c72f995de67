import { randomUUID } from 'node:crypto'
import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import { currentSchema } from '#lib/iceberg/metadata/parse-metadata.ts'
import { FILE_PATH_FIELD, type LiveFile, liveRowsOf, readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import { serializeValue } from '#lib/iceberg/values/bounds.ts'
import { DELETE_FILE_IDS } from '#lib/table-engine/delete-positions.ts'
import { type DuckDbSession, openDuckDbSession } from '#lib/table-engine/duckdb/duckdb-session.ts'
import { quoteIdentifier, quoteLiteral } from '#lib/table-engine/duckdb/sql.ts'
import { copyToParquet } from '#lib/table-engine/write-parquet.ts'
import { openIcebergTable } from './open-iceberg-table.ts'
import type { Statement, TableName } from './parse-statement.ts'
import {
  commitChange,
  dataFolder,
  type QueryRun,
  readTable,
  scannedBytes,
  storedAs,
  upload,
  type Writing,
  writeRows,
} from './query-table.ts'

const MEMORY_MIB = 512

type StatementRun = Omit<QueryRun, 'session'> & { scratchDir: string }

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
const runOptimize = async (
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

/**
 * Does a MERGE as Athena does it: changed rows become position deletes (here one file of deletes for all files of rows)
 * and new rows, in one commit that moves Glue's pointer if nobody else has. Resolves to the number of changed rows.
 *
 * DuckDB runs the statement itself, on a copy of the rows that it can match.
 */
const runMerge = async (
  { text, target: name, reads, merge }: Statement & Required<Pick<Statement, 'merge'>>,
  { s3, tables, session, queryId, onScan }: QueryRun,
): Promise<number> => {
  const [stagingName = name] = reads
  const target = await readTable(s3, tables, name)
  const staging = await readTable(s3, tables, stagingName)
  onScan(scannedBytes(target.metadata) + scannedBytes(staging.metadata))
  for (const database of new Set([name.database, stagingName.database]))
    await session.query(`CREATE SCHEMA ${quoteIdentifier(database)}`)
  const open = (table: typeof target, view: string, prefix: string) =>
    openIcebergTable({ ...table, session, s3, read: table.objects.read, view, prefix })
  const live = await open(target, 'target_rows', 'target')
  await open(staging, quoted(stagingName), 'staging')

  const { fields } = currentSchema(target.metadata)
  const columns = fields.map(field => quoteIdentifier(field.name.toLowerCase()))
  const matching = `SELECT 1 FROM (${merge.source}) s WHERE ${inDuckDb(merge.on)}`
  await session.query(
    `CREATE TABLE ${quoted(name)} AS SELECT *, false AS "$changed" FROM target_rows t WHERE EXISTS (${matching})`,
  )
  const marked = text
    .replace('\nTHEN UPDATE SET ', found => `${found}"$changed" = true, `)
    .replace(/ VALUES (?=\([^()]+\)$)/, found => ` (${columns.join(', ')})${found}`)
  await session.query(inDuckDb(marked))
  const isNew = '"$changed" OR "$file" IS NULL'
  const [[count] = []] = await session.query(`SELECT count(*) FROM ${quoted(name)} WHERE ${isNew}`)
  const rows = Number(count)
  if (rows === 0) return 0

  const writing = { s3, objects: target.objects, folder: dataFolder(target) }
  const stored = fields.map((field, index) => `${columns[index]} AS ${storedAs(field.name)}`)
  const select = `SELECT ${stored.join(', ')} FROM ${quoted(name)} WHERE ${isNew}`
  const added = [
    await writeRows(session, { ...writing, metadata: target.metadata, select }),
    ...(await writeDeletes(session, { ...writing, live, replaced: `${quoted(name)} WHERE "$changed"` })),
  ]
  await commitChange(target, { change: { added, operation: 'overwrite' }, queryId, tables })
  return rows
}

const quoted = ({ database, name }: TableName): string =>
  `${quoteIdentifier(database)}.${quoteIdentifier(name)}`

/** The same in DuckDB's words: a time of Trino has a zone, and a Date has milliseconds. Names stay as they are. */
const inDuckDb = (text: string): string =>
  text.replaceAll(/"(?:[^"]|"")+"|TIMESTAMP '([\d: .-]+) UTC'/g, (found, time?: string) =>
    time === undefined
      ? found
      : `make_timestamptz(${BigInt(Date.parse(`${time.slice(0, 23).replace(' ', 'T')}Z`)) * 1000n})`,
  )

const writeDeletes = async (
  session: DuckDbSession,
  { live, replaced, ...writing }: Writing & { live: LiveFile[]; replaced: string },
): Promise<DataFile[]> => {
  const files = await session.query(`SELECT DISTINCT "$file" FROM ${replaced}`)
  const paths = files.map(([index]) => live[Number(index)]?.file.path ?? '').sort()
  if (paths.length === 0) return []
  const path = session.scratchPath('deletes.parquet')
  const names = live.map(({ file }) => quoteLiteral(file.path)).join(', ')
  const { rows } = await copyToParquet(session, {
    select: `SELECT [${names}]["$file" + 1] AS file_path, "$pos" AS pos FROM ${replaced} ORDER BY file_path, pos`,
    ids: DELETE_FILE_IDS,
    path,
  })
  const key = `${writing.folder}${randomUUID()}-deletes.parquet`
  const bytes = await upload(writing, path, key)
  const bound = (text = '') => serializeValue('string', text)
  return [
    {
      content: 'positionDeletes',
      format: 'parquet',
      specId: 0,
      partition: new Map(),
      path: writing.objects.locationOf(key),
      rows,
      bytes,
      columns: new Map([
        [FILE_PATH_FIELD, { values: rows, nulls: 0, lower: bound(paths[0]), upper: bound(paths.at(-1)) }],
      ]),
    },
  ]
}
