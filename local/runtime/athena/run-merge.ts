import { randomUUID } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import { currentSchema } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import { FILE_PATH_FIELD, type LiveFile } from '#lib/iceberg/read/live-files.ts'
import { serializeValue } from '#lib/iceberg/values/bounds.ts'
import { DELETE_FILE_IDS } from '#lib/table-engine/delete-positions.ts'
import type { DuckDbSession } from '#lib/table-engine/duckdb-session.ts'
import { quoteIdentifier, quoteLiteral } from '#lib/table-engine/sql.ts'
import { copyToParquet } from '#lib/table-engine/write-parquet.ts'
import type { GlueTables } from '../glue/catalog.ts'
import { openIcebergTable } from './open-iceberg-table.ts'
import { duckDbValue, type Merge } from './parse-merge.ts'
import {
  commitChange,
  dataFolder,
  readTable,
  scannedBytes,
  storedAs,
  upload,
  type Writing,
  writeRows,
} from './query-table.ts'

/** What a query of one table has to do its work with. */
export interface QueryRun {
  s3: S3Client
  tables: GlueTables
  session: DuckDbSession
  queryId: string
  /** Called with the bytes of the files before any is read. Throws when they are too many. */
  onScan: (bytes: number) => void
}

interface MergeRun extends QueryRun {
  merge: Merge
}

/**
 * Does a MERGE as Athena does it: changed rows become position deletes (here one file of deletes for all files of rows)
 * and new rows, in one commit that moves Glue's pointer if nobody else has. Resolves to the number of changed rows.
 */
export const runMerge = async ({
  merge,
  s3,
  tables,
  session,
  queryId,
  onScan,
}: MergeRun): Promise<number> => {
  const target = await readTable(s3, tables, merge.target)
  const staging = await readTable(s3, tables, merge.staging)
  onScan(scannedBytes(target.metadata) + scannedBytes(staging.metadata))
  const viewOf = ({ database, name }: Merge['target']) =>
    `${quoteIdentifier(database)}.${quoteIdentifier(name)}`
  for (const database of new Set([merge.target.database, merge.staging.database]))
    await session.query(`CREATE SCHEMA ${quoteIdentifier(database)}`)
  const live = await openIcebergTable({
    ...target,
    session,
    s3,
    read: target.objects.read,
    view: viewOf(merge.target),
    prefix: 'target',
  })
  await openIcebergTable({
    ...staging,
    session,
    s3,
    read: staging.objects.read,
    view: viewOf(merge.staging),
    prefix: 'staging',
  })
  const rows = await selectChanges(session, { merge, view: viewOf(merge.target), metadata: target.metadata })
  if (rows === 0) return 0

  const writing = { s3, objects: target.objects, folder: dataFolder(target) }
  const added = [
    await writeRows(session, { ...writing, metadata: target.metadata, select: 'SELECT * FROM changes' }),
    ...(await writeDeletes(session, { ...writing, live })),
  ]
  const change = { added, operation: 'overwrite' } as const
  await commitChange(target, { change, queryId, tables })
  return rows
}

/** Tables `replaced` ("$file", "$pos") and `changes` (the new rows, columns as they are stored). Resolves to their number. */
const selectChanges = async (
  session: DuckDbSession,
  { merge, view, metadata }: { merge: Merge; view: string; metadata: TableMetadata },
): Promise<number> => {
  const { fields } = currentSchema(metadata)
  const source = `(${merge.source}) s`
  const updated = fields.map(({ name }) => {
    const column = name.toLowerCase()
    return `${duckDbValue(merge.set.get(column) ?? `t.${quoteIdentifier(column)}`)} AS ${storedAs(name)}`
  })
  if (merge.inserted.length !== fields.length)
    throw new Error(`The statement inserts ${merge.inserted.length} values into ${fields.length} columns`)
  const inserted = fields.map(
    ({ name }, index) => `${duckDbValue(merge.inserted[index] ?? '')} AS ${storedAs(name)}`,
  )
  const matched = `FROM ${view} t JOIN ${source} ON ${merge.on} WHERE ${merge.changed ?? 'false'}`
  await session.query(`CREATE TABLE replaced AS SELECT t."$file", t."$pos" ${matched}`)
  await session.query(`CREATE TABLE changes AS SELECT ${updated.join(', ')} ${matched}`)
  await session.query(
    `INSERT INTO changes SELECT ${inserted.join(', ')} FROM ${source} WHERE NOT EXISTS (SELECT 1 FROM ${view} t WHERE ${merge.on})`,
  )
  const [[count] = []] = await session.query('SELECT count(*) FROM changes')
  return Number(count)
}

const writeDeletes = async (
  session: DuckDbSession,
  { live, ...writing }: Writing & { live: LiveFile[] },
): Promise<DataFile[]> => {
  const replaced = await session.query('SELECT DISTINCT "$file" FROM replaced')
  const paths = replaced.map(([index]) => live[Number(index)]?.file.path ?? '').sort()
  if (paths.length === 0) return []
  const path = session.scratchPath('deletes.parquet')
  const names = live.map(({ file }) => quoteLiteral(file.path)).join(', ')
  const { rows } = await copyToParquet(session, {
    select: `SELECT [${names}]["$file" + 1] AS file_path, "$pos" AS pos FROM replaced ORDER BY file_path, pos`,
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
