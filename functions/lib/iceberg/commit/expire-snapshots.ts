import pMap from 'p-map'
import { isLive } from '../manifests/data-file.ts'
import type { IcebergSnapshot, TableMetadata } from '../metadata/table-metadata.ts'
import type { ObjectReader } from '../object-reader.ts'
import { readManifest, readManifestList } from '../read/read-manifests.ts'

/** How many manifests and manifest lists are fetched in parallel: a table may have hundreds of snapshots. */
const FETCHES = 16

/**
 * The metadata without the snapshots that another one followed before a time: so the table can be read as it was at any
 * time since. The current one, and those that a branch or tag names, stay whatever their age. `keepAtMost`: only so many
 * of the newest stay.
 */
export const withoutOldSnapshots = (
  metadata: TableMetadata,
  { beforeMs, keepAtMost = Number.POSITIVE_INFINITY }: { beforeMs: number; keepAtMost?: number },
): { metadata: TableMetadata; expired: IcebergSnapshot[] } => {
  const named = new Set(Object.values(metadata.refs).map(ref => ref['snapshot-id']))
  if (metadata['current-snapshot-id'] !== undefined) named.add(metadata['current-snapshot-id'])
  const followedAt = (index: number): number =>
    metadata.snapshots[index + 1]?.['timestamp-ms'] ?? Number.POSITIVE_INFINITY
  const surplus = metadata.snapshots.length - keepAtMost
  const isExpired = (snapshot: IcebergSnapshot, index: number): boolean =>
    !named.has(snapshot['snapshot-id']) && (followedAt(index) < beforeMs || index < surplus)
  const expired = metadata.snapshots.filter(isExpired)
  if (expired.length === 0) return { metadata, expired }
  const gone = new Set(expired.map(snapshot => snapshot['snapshot-id']))
  const log = metadata['snapshot-log']
  // The log has no gaps: what lies before an expired snapshot goes with it.
  const firstKept = log.findLastIndex(entry => gone.has(entry['snapshot-id'])) + 1
  return {
    metadata: {
      ...metadata,
      snapshots: metadata.snapshots.filter(snapshot => !gone.has(snapshot['snapshot-id'])),
      'snapshot-log': log.slice(firstKept),
    },
    expired,
  }
}

/** The locations of all objects that snapshots consist of: manifest lists, manifests, files of rows and of deletes. */
export const locationsOf = async (
  read: ObjectReader,
  snapshots: readonly IcebergSnapshot[],
): Promise<Set<string>> => {
  const lists = await pMap(snapshots, snapshot => readManifestList(read, snapshot), { concurrency: FETCHES })
  // Snapshots share most of their manifests.
  const manifests = new Map(lists.flat().map(manifest => [manifest.path, manifest]))
  const locations = new Set([...snapshots.map(snapshot => snapshot['manifest-list']), ...manifests.keys()])
  await pMap(
    manifests.values(),
    async manifest => {
      for (const entry of await readManifest(read, manifest))
        if (isLive(entry)) locations.add(entry.file.path)
    },
    { concurrency: FETCHES },
  )
  return locations
}
