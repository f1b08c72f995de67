import type { DataFile } from '../manifests/data-file.ts'
import type { IcebergSnapshot } from '../metadata/table-metadata.ts'

type Summary = IcebergSnapshot['summary']

interface FileSums {
  dataFiles: number
  deleteFiles: number
  records: number
  bytes: number
  positionDeletes: number
  equalityDeletes: number
}

const sumOf = (files: readonly DataFile[]): FileSums => {
  const of = (content: DataFile['content']) => files.filter(file => file.content === content)
  const rows = (content: DataFile['content']) => of(content).reduce((sum, file) => sum + file.rows, 0)
  return {
    dataFiles: of('data').length,
    deleteFiles: files.length - of('data').length,
    records: rows('data'),
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    positionDeletes: rows('positionDeletes'),
    // Nobody here makes them; some readers count rows by the totals only where this one is 0.
    equalityDeletes: 0,
  }
}

/** The names in the summary (specification, "Optional Snapshot Summary Fields"): when added, when removed, in total. */
const names: Record<keyof FileSums, [added: string, removed: string, total: string]> = {
  dataFiles: ['added-data-files', 'deleted-data-files', 'total-data-files'],
  deleteFiles: ['added-delete-files', 'removed-delete-files', 'total-delete-files'],
  records: ['added-records', 'deleted-records', 'total-records'],
  bytes: ['added-files-size', 'removed-files-size', 'total-files-size'],
  positionDeletes: ['added-position-deletes', 'removed-position-deletes', 'total-position-deletes'],
  equalityDeletes: ['added-equality-deletes', 'removed-equality-deletes', 'total-equality-deletes'],
}

/**
 * The summary of a snapshot: what it adds and removes, and what the table has afterwards. A total that the snapshot
 * before does not know is left out.
 */
export const summarize = (
  operation: string,
  change: { added: readonly DataFile[]; removed: readonly DataFile[] },
  previous: Summary | undefined,
): Summary => {
  const added = sumOf(change.added)
  const removed = sumOf(change.removed)
  const summary: Summary = { operation }
  for (const key of Object.keys(names) as (keyof FileSums)[]) {
    const [addedName, removedName, totalName] = names[key]
    const before = previous ? previous[totalName] : '0'
    if (added[key] > 0) summary[addedName] = String(added[key])
    if (removed[key] > 0) summary[removedName] = String(removed[key])
    if (before !== undefined) summary[totalName] = String(Number(before) + added[key] - removed[key])
  }
  return summary
}
