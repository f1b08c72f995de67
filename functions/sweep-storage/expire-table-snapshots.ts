import { everyBucket } from './every-bucket.ts'
import type { SweepPage } from './page.ts'

const positionOf = ({ branchId, bucketId }: { branchId: number; bucketId: string }): string =>
  `${branchId}/${bucketId}`

/**
 * Lets the old snapshots of the tables of some buckets go: those of a table that does not change are only noticed here.
 * Sweeps tables. A bucket that fails is logged, and the next sweep tries again. When the bucket of `after` is gone, it
 * begins from the start.
 */
export const expireTableSnapshots: SweepPage = async (services, after) => {
  const all = await everyBucket(services)
  const start = all.findIndex(bucket => positionOf(bucket) === after) + 1
  const page = all.slice(start, start + services.pageSizes.buckets)
  let swept = 0
  for (const { tables, bucketId } of page) {
    try {
      swept += await tables.expireSnapshots(bucketId, services.now())
    } catch (error) {
      services.log.error('snapshots not expired', { bucketId, error })
    }
  }
  const last = page.at(-1)
  return { swept, next: last && last !== all.at(-1) ? positionOf(last) : undefined }
}
