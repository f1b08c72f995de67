import { everyBucket } from './every-bucket.ts'
import type { SweepServices } from './services.ts'

/**
 * Lets the old snapshots of all tables go: those of a table that does not change are only noticed here. Resolves to the
 * number of tables. A bucket that fails is logged, and the next sweep tries again.
 */
export const expireTableSnapshots = async (services: SweepServices): Promise<number> => {
  let expired = 0
  for (const { tables, bucketId } of await everyBucket(services)) {
    try {
      expired += await tables.expireSnapshots(bucketId, services.now())
    } catch (error) {
      services.log.error('snapshots not expired', { bucketId, error })
    }
  }
  return expired
}
