import type { IcebergSnapshot, TableMetadata } from '../metadata/table-metadata.ts'
import { findSnapshot } from '../read/read-manifests.ts'
import type { CommittedMetadata } from './plan-commit.ts'

/**
 * The metadata of what another engine has committed, as the next of a head. The engine was given steps that no reader of the head has seen,
 * such as the table without its rows before a full load: these leave the history, and its snapshot does what all of them did.
 */
export const adoptCommit = (committed: TableMetadata, head: CommittedMetadata): TableMetadata => {
  const { metadata: before, location } = head
  const current = findSnapshot(committed)
  const isNew = !before.snapshots.some(({ 'snapshot-id': id }) => id === current?.['snapshot-id'])
  const adopted = current && isNew ? [afterHead(current, committed, before)] : []
  const logged = adopted.map(({ 'timestamp-ms': at, 'snapshot-id': id }) => ({
    'timestamp-ms': at,
    'snapshot-id': id,
  }))
  const followed = { 'metadata-file': location, 'timestamp-ms': before['last-updated-ms'] }
  return {
    ...committed,
    'last-updated-ms': Math.max(
      committed['last-updated-ms'],
      ...adopted.map(snapshot => snapshot['timestamp-ms']),
    ),
    snapshots: [...before.snapshots, ...adopted],
    'snapshot-log': [...before['snapshot-log'], ...logged],
    'metadata-log': [...before['metadata-log'], followed],
  }
}

/** The snapshot as the one that follows the head's. Where it follows a step, it removes what the step removed. */
const afterHead = (
  snapshot: IcebergSnapshot,
  { snapshots }: TableMetadata,
  before: TableMetadata,
): IcebergSnapshot => {
  const parent = before['current-snapshot-id']
  const timeMs = Math.max(snapshot['timestamp-ms'], before['last-updated-ms'] + 1)
  const { 'parent-snapshot-id': followed, ...rest } = snapshot
  if (followed === parent) return { ...snapshot, 'timestamp-ms': timeMs }
  const step = snapshots.find(({ 'snapshot-id': id }) => id === followed)
  const removed = Object.entries(step?.summary ?? {}).filter(([name]) => /^(deleted|removed)-/.test(name))
  return {
    ...rest,
    ...(parent !== undefined && { 'parent-snapshot-id': parent }),
    'timestamp-ms': timeMs,
    summary: { ...snapshot.summary, ...Object.fromEntries(removed), operation: 'overwrite' },
  }
}
