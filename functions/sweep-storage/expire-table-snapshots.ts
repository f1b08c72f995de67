import type { SweepServices } from './services.ts'

/**
 * Lets the old snapshots of all tables go: those of a table that does not change are only noticed here. Resolves to the
 * number of tables. A bucket that fails is logged, and the next sweep tries again.
 */
export const expireTableSnapshots = async ({ buckets, tables, now, log }: SweepServices): Promise<number> => {
  let expired = 0
  for (const { id } of await buckets.list()) {
    try {
      expired += await tables.expireSnapshots(id, now())
    } catch (error) {
      log.error('snapshots not expired', { bucketId: id, error })
    }
  }
  return expired
}
