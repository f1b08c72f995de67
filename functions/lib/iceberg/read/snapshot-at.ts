import type { IcebergSnapshot, TableMetadata } from '../metadata/table-metadata.ts'

/** The snapshot that was current at a time. `undefined`: there was none yet, or it has expired. */
export const snapshotAt = (metadata: TableMetadata, timeMs: number): IcebergSnapshot | undefined => {
  const entry = metadata['snapshot-log'].findLast(logged => logged['timestamp-ms'] <= timeMs)
  return metadata.snapshots.find(snapshot => snapshot['snapshot-id'] === entry?.['snapshot-id'])
}

/**
 * Where the metadata file lies that was current at a time. `location` is where this one lies. `undefined`: its log does not
 * go back so far.
 */
export const metadataAt = (metadata: TableMetadata, location: string, timeMs: number): string | undefined => {
  const current = { 'metadata-file': location, 'timestamp-ms': metadata['last-updated-ms'] }
  const log = [...metadata['metadata-log'], current]
  return log.findLast(entry => entry['timestamp-ms'] <= timeMs)?.['metadata-file']
}
