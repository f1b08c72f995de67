import type { IcebergSnapshot, TableMetadata } from '../metadata/table-metadata.ts'

/** The snapshot that was current at a time. `undefined`: there was none yet, or it has expired. */
export const snapshotAt = (metadata: TableMetadata, timeMs: number): IcebergSnapshot | undefined => {
  const entry = metadata['snapshot-log'].findLast(logged => logged['timestamp-ms'] <= timeMs)
  return metadata.snapshots.find(snapshot => snapshot['snapshot-id'] === entry?.['snapshot-id'])
}
