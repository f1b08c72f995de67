import { randomUUID } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import { planCommit } from '#lib/iceberg/commit/plan-commit.ts'
import type { TableChange } from '#lib/iceberg/commit/table-change.ts'
import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import { currentSchema, parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import { addedEntries, icebergFields } from '#lib/storage/tables/content/file-entries.ts'
import { createTableObjects, type TableObjects } from '#lib/storage/tables/content/table-objects.ts'
import type { DuckDbSession } from '#lib/table-engine/duckdb/duckdb-session.ts'
import { quoteColumn } from '#lib/table-engine/duckdb/parquet-sql.ts'
import { quoteIdentifier } from '#lib/table-engine/duckdb/sql.ts'
import { type TableField, TIMESTAMP_ID } from '#lib/table-engine/files/snapshot.ts'
import { listedFile } from '#lib/table-engine/local-file.ts'
import { createS3TableFiles } from '#lib/table-engine/s3-table-files.ts'
import { writeParquet } from '#lib/table-engine/write-parquet.ts'
import type { GlueTables } from '../glue/operations.ts'
import type { TableName } from './parse-statement.ts'

/** What a query has to do its work with. */
export interface QueryRun {
  s3: S3Client
  tables: GlueTables
  session: DuckDbSession
  queryId: string
  /** Called with the bytes of the files before any is read. Throws when they are too many. */
  onScan: (bytes: number) => void
}

/** Where a table's metadata lies in S3. */
const bucketOf = (location: string): string => location.split('/')[2] ?? ''

/** What a table of a query consists of. */
export const readTable = async (s3: S3Client, tables: GlueTables, { database, name }: TableName) => {
  const { input, versionId } = tables.get(database, name)
  const location = input.Parameters['metadata_location'] ?? ''
  const objects = createTableObjects(s3, bucketOf(location))
  const metadata = parseMetadata(Buffer.from(await objects.read(location)).toString('utf8'))
  return { database, input, versionId: String(versionId), location, objects, metadata }
}

/** Bytes of all files that the current snapshot names. */
export const scannedBytes = ({ snapshots, 'current-snapshot-id': current }: TableMetadata): number =>
  Number(snapshots.find(({ 'snapshot-id': id }) => id === current)?.summary['total-files-size'] ?? 0)

type QueryTable = Awaited<ReturnType<typeof readTable>>

/** Commits a change as another engine does, and moves Glue's pointer if nobody else has. */
export const commitChange = async (
  { database, input, versionId, location: base, objects, metadata }: QueryTable,
  { change, queryId, tables }: { change: TableChange; queryId: string; tables: GlueTables },
): Promise<void> => {
  const plan = await planCommit({
    read: objects.read,
    base: { metadata, location: base },
    change: { ...change, summary: { trino_query_id: engineQueryId(new Date(), queryId) } },
    commitId: queryId,
    timeMs: Date.now(),
  })
  // Other engines choose the names of metadata files at random.
  const location = plan.location.replace(/-[0-9a-f-]{36}\./, `-${randomUUID()}.`)
  await objects.write(
    plan.objects.map(object => (object.location === plan.location ? { ...object, location } : object)),
  )
  const Parameters = {
    ...input.Parameters,
    previous_metadata_location: base,
    metadata_location: location,
  }
  await tables.update(database, { ...input, Parameters }, versionId)
}

/** The engine's own id of a query begins with its time: `20250401_023623_00108_u4nkm`. */
const engineQueryId = (time: Date, queryId: string): string => {
  const [date, clock] = time.toISOString().replaceAll(/[-:]/g, '').split('T')
  return `${date}_${clock?.slice(0, 6)}_00000_${queryId.slice(0, 5)}`
}

/** Where the files of a query go. */
export interface Writing {
  s3: S3Client
  objects: TableObjects
  folder: string
}

export const upload = ({ s3, objects }: Writing, path: string, key: string): Promise<number> =>
  createS3TableFiles({ s3, tablesBucket: bucketOf(objects.locationOf(key)) }).upload(path, key)

/** The folder of new files. */
export const dataFolder = ({ objects, metadata }: QueryTable): string =>
  `${objects.keyOf(metadata.location)}/data/`

/** The name under which a column is stored. */
export const storedAs = (name: string): string =>
  name === '_timestamp' ? quoteIdentifier(name) : quoteColumn(name)

/** Writes rows with the columns `storedAs(...)` of the table. Resolves to the entry of the file. */
export const writeRows = async (
  session: DuckDbSession,
  { metadata, select, ...writing }: Writing & { metadata: TableMetadata; select: string },
): Promise<DataFile> => {
  const fields: TableField[] = currentSchema(metadata)
    .fields.filter(({ id }) => id !== TIMESTAMP_ID)
    // Tables of ours have columns of the engine's types.
    .map(({ id, name, type }) => ({ id, name, type: type as TableField['type'] }))
  const key = `${writing.folder}${randomUUID()}.parquet`
  const local = await writeParquet(session, {
    name: 'rows',
    select,
    fields,
    isKeyed: false,
  })
  const bytes = await upload(writing, local.path, key)
  const file = listedFile(local, { key, bytes, fields })
  const [entry] = addedEntries([file], icebergFields(fields), writing.objects)
  if (!entry) throw new Error('The new rows have no entry')
  return entry
}
