import { currentSchema, schemaById } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { IcebergSnapshot, TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import { type Snapshot, withFiles } from '#lib/table-engine/files/snapshot.ts'
import type { TableRecord } from '../table-record.ts'
import { tableFields } from './file-entries.ts'
import type { MetadataStore } from './metadata-store.ts'
import { keyIn } from './primary-key-property.ts'

/** What a table was. */
export interface ContentThen {
  snapshot: Snapshot
  /** Columns and key are those of then. */
  isWhole: boolean
}

/**
 * The table as it was at a time, with the columns and the key of then. `undefined` when that has expired, or when there
 * was no table yet.
 *
 * The metadata of then is kept for the last changes of a table only. Without it the columns are those of the snapshot, and
 * the key is left out: nobody knows whether the rows of then had it. Then `isWhole` is false.
 */
export const contentAt = async (
  { objects: { keyOf, locationOf }, load, filesOf }: MetadataStore,
  { metadataKey, snapshot }: TableRecord,
  time: Date,
): Promise<ContentThen | undefined> => {
  if (metadataKey === undefined) return undefined
  const metadata = await load(metadataKey)
  const location = metadataAt(metadata, locationOf(metadataKey), time.getTime())
  const then = location === undefined ? metadata : await load(keyOf(location))
  const id =
    location === undefined
      ? snapshotAt(metadata, time.getTime())?.['snapshot-id']
      : then['current-snapshot-id']
  const found = metadata.snapshots.find(candidate => candidate['snapshot-id'] === id)
  // A table that has not had a row yet has no snapshot.
  if (!found && (location === undefined || id !== undefined)) return undefined

  const isWhole = location !== undefined
  const schema = isWhole
    ? currentSchema(then)
    : schemaById(metadata, found?.['schema-id'] ?? metadata['current-schema-id'])
  const fields = tableFields(schema.fields, snapshot)
  const names = new Set(fields.map(({ name }) => name))
  const key = isWhole ? (keyIn(then) ?? snapshot.primaryKey) : []
  const primaryKey = key.every(name => names.has(name)) ? key : []
  const files = found ? await filesOf(metadata, found['snapshot-id']) : []
  return { snapshot: withFiles({ ...snapshot, fields, primaryKey }, files), isWhole }
}

/** The snapshot that was current at a time. `undefined`: there was none yet, or it has expired. */
const snapshotAt = (metadata: TableMetadata, timeMs: number): IcebergSnapshot | undefined => {
  const entry = metadata['snapshot-log'].findLast(logged => logged['timestamp-ms'] <= timeMs)
  return metadata.snapshots.find(snapshot => snapshot['snapshot-id'] === entry?.['snapshot-id'])
}

/**
 * Where the metadata file lies that was current at a time. `location` is where this one lies. `undefined`: its log does not
 * go back so far.
 */
const metadataAt = (metadata: TableMetadata, location: string, timeMs: number): string | undefined => {
  const current = { 'metadata-file': location, 'timestamp-ms': metadata['last-updated-ms'] }
  const log = [...metadata['metadata-log'], current]
  return log.findLast(entry => entry['timestamp-ms'] <= timeMs)?.['metadata-file']
}
