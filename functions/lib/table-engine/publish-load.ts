import pMap from 'p-map'
import { compactFiles } from './compact-files.ts'
import type { EngineContext } from './files/engine-context.ts'
import { type Snapshot, withFiles } from './files/snapshot.ts'
import { TRANSFERS } from './files/table-files.ts'
import { isLocal, type SnapshotFile } from './local-file.ts'
import { createPublish } from './publish-file.ts'

interface PublishLoadRequest {
  /** The table with the columns that it has after the load. */
  table: Snapshot
  /** It with the files of before that stay, as far as they do. */
  kept: Snapshot
  /** All files after the load. */
  files: SnapshotFile[]
  keyPrefix: string
}

/**
 * Stores the files of a load, and joins small ones. Where older files are among these, the snapshot says which files there were before:
 * who reads a table by its increments must see what the load brought apart from what it only wrote anew.
 */
export const publishLoad = async (
  context: EngineContext,
  { table, kept, files, keyPrefix }: PublishLoadRequest,
): Promise<Snapshot> => {
  const publish = createPublish(context, { keyPrefix, fields: table.fields })
  const publishAll = (each: SnapshotFile[]) =>
    pMap(each, async file => (isLocal(file) ? publish(file) : file), { concurrency: TRANSFERS })
  const older = new Set(kept.files.map(({ key }) => key))
  const isOlder = (file: SnapshotFile) => !isLocal(file) && older.has(file.key)
  const brought = files.filter(file => !isOlder(file))
  const joined = new Set(await compactFiles(context, { files: brought, snapshot: kept, name: 'joined' }))
  const stay = files.filter(file => isOlder(file) || joined.has(file))
  const loaded = await publishAll([...stay, ...joined.difference(new Set(files))])
  if (older.size === 0) return withFiles(table, loaded)
  const compacted = await compactFiles(context, { files: loaded, snapshot: kept, name: 'merged' })
  if (!compacted.some(isLocal)) return withFiles(table, loaded)
  return { ...withFiles(table, await publishAll(compacted)), joinedFrom: loaded }
}
