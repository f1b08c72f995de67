import { randomUUID } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import { planCommit } from '#lib/iceberg/commit/plan-commit.ts'
import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import { currentSchema, parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import { FILE_PATH_FIELD, type LiveFile } from '#lib/iceberg/read/live-files.ts'
import { serializeValue } from '#lib/iceberg/values/bounds.ts'
import { addedEntries, icebergFields } from '#lib/storage/tables/content/file-entries.ts'
import { createTableObjects, type TableObjects } from '#lib/storage/tables/content/table-objects.ts'
import { DELETE_FILE_IDS } from '#lib/table-engine/delete-positions.ts'
import type { DuckDbSession } from '#lib/table-engine/duckdb-session.ts'
import { listedFile } from '#lib/table-engine/local-file.ts'
import { quoteColumn } from '#lib/table-engine/parquet-sql.ts'
import { createS3TableFiles } from '#lib/table-engine/s3-table-files.ts'
import { type TableField, TIMESTAMP_ID } from '#lib/table-engine/snapshot.ts'
import { quoteIdentifier, quoteLiteral } from '#lib/table-engine/sql.ts'
import { copyToParquet, writeParquet } from '#lib/table-engine/write-parquet.ts'
import type { GlueTables } from '../glue/catalog.ts'
import { openIcebergTable } from './open-iceberg-table.ts'
import { duckDbValue, type Merge } from './parse-merge.ts'

interface MergeRun {
  merge: Merge
  s3: S3Client
  tables: GlueTables
  session: DuckDbSession
  queryId: string
  /** Called with the bytes of the files before any is read. Throws when they are too many. */
  onScan: (bytes: number) => void
}

/** Where a table's metadata lies in S3. */
const bucketOf = (location: string): string => location.split('/')[2] ?? ''

/** What one side of the merge consists of. */
const readTable = async (s3: S3Client, tables: GlueTables, { database, name }: Merge['target']) => {
  const { input, versionId } = tables.get(database, name)
  const location = input.Parameters['metadata_location'] ?? ''
  const objects = createTableObjects(s3, bucketOf(location))
  const metadata = parseMetadata(Buffer.from(await objects.read(location)).toString('utf8'))
  return { input, versionId: String(versionId), location, objects, metadata }
}

const scannedBytes = ({ snapshots, 'current-snapshot-id': current }: TableMetadata): number =>
  Number(snapshots.find(({ 'snapshot-id': id }) => id === current)?.summary['total-files-size'] ?? 0)

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

  const folder = `${target.objects.keyOf(target.metadata.location)}/data/`
  const added = [
    await writeRows(session, { s3, objects: target.objects, metadata: target.metadata, folder }),
    ...(await writeDeletes(session, { s3, objects: target.objects, live, folder })),
  ]
  const plan = await planCommit({
    read: target.objects.read,
    base: { metadata: target.metadata, location: target.location },
    change: {
      added,
      operation: 'overwrite',
      summary: { trino_query_id: engineQueryId(new Date(), queryId) },
    },
    commitId: queryId,
    timeMs: Date.now(),
  })
  // Other engines choose the names of metadata files at random.
  const location = plan.location.replace(/-[0-9a-f-]{36}\./, `-${randomUUID()}.`)
  const written = plan.objects.map(object =>
    object.location === plan.location ? { ...object, location } : object,
  )
  await target.objects.write(written)
  const Parameters = {
    ...target.input.Parameters,
    previous_metadata_location: target.location,
    metadata_location: location,
  }
  await tables.update(merge.target.database, { ...target.input, Parameters }, target.versionId)
  return rows
}

/** The engine's own id of a query begins with its time: `20250401_023623_00108_u4nkm`. */
const engineQueryId = (time: Date, queryId: string): string => {
  const [date, clock] = time.toISOString().replaceAll(/[-:]/g, '').split('T')
  return `${date}_${clock?.slice(0, 6)}_00000_${queryId.slice(0, 5)}`
}

/** Tables `replaced` ("$file", "$pos") and `changes` (the new rows, columns as they are stored). Resolves to their number. */
const selectChanges = async (
  session: DuckDbSession,
  { merge, view, metadata }: { merge: Merge; view: string; metadata: TableMetadata },
): Promise<number> => {
  const { fields } = currentSchema(metadata)
  const source = `(${merge.source}) s`
  const storedAs = (name: string) => (name === '_timestamp' ? quoteIdentifier(name) : quoteColumn(name))
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

interface Writing {
  s3: S3Client
  objects: TableObjects
  folder: string
}

const upload = ({ s3, objects }: Writing, path: string, key: string): Promise<number> =>
  createS3TableFiles({ s3, tablesBucket: bucketOf(objects.locationOf(key)) }).upload(path, key)

const writeRows = async (
  session: DuckDbSession,
  { metadata, ...writing }: Writing & { metadata: TableMetadata },
): Promise<DataFile> => {
  const fields: TableField[] = currentSchema(metadata)
    .fields.filter(({ id }) => id !== TIMESTAMP_ID)
    // Tables of ours have columns of the engine's types.
    .map(({ id, name, type }) => ({ id, name, type: type as TableField['type'] }))
  const key = `${writing.folder}${randomUUID()}.parquet`
  const local = await writeParquet(session, {
    name: 'changes',
    select: 'SELECT * FROM changes',
    fields,
    isKeyed: false,
  })
  const bytes = await upload(writing, local.path, key)
  const file = listedFile(local, { key, bytes, fields })
  const [entry] = addedEntries([file], icebergFields(fields), writing.objects)
  if (!entry) throw new Error('The new rows have no entry')
  return entry
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
