import type { TableMetadata } from '../metadata/table-metadata.ts'

/**
 * Where the metadata file lies that was current at a time. `location` is where this one lies. `undefined`: its log does not
 * go back so far.
 */
export const metadataAt = (metadata: TableMetadata, location: string, timeMs: number): string | undefined => {
  const current = { 'metadata-file': location, 'timestamp-ms': metadata['last-updated-ms'] }
  const log = [...metadata['metadata-log'], current]
  return log.findLast(entry => entry['timestamp-ms'] <= timeMs)?.['metadata-file']
}
