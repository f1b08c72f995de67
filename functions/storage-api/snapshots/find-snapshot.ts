import { parseId } from '../../lib/storage/db/ids.ts'
import type { SnapshotRecord } from '../../lib/storage/snapshots/snapshot-store.ts'
import { snapshotNotFound } from '../../lib/storage/snapshots/snapshot-store.ts'
import type { BucketPermission } from '../../lib/storage/tokens/token-store.ts'
import { requireTable } from '../http/rights.ts'
import type { Caller } from '../services/authenticate.ts'
import type { Services } from '../services/services.ts'

/**
 * The kept snapshot of a path. Errors: 404 `storage.snapshots.notFound`; 403 `accessDenied` for a caller without this
 * right on the bucket of its table.
 */
export const findSnapshot = async (
  { snapshots }: Pick<Services, 'snapshots'>,
  snapshotId: string,
  caller: Caller,
  needed: BucketPermission = 'read',
): Promise<SnapshotRecord> => {
  const id = parseId(snapshotId)
  const snapshot = id === undefined ? undefined : await snapshots.get(id)
  if (!snapshot) throw snapshotNotFound(snapshotId)
  requireTable(caller, snapshot.table.id, needed)
  return snapshot
}
