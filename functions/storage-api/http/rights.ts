import { UserError } from '../../lib/errors/errors.ts'
import { bucketOfTable, mayUseBucket } from '../../lib/storage/tokens/rights.ts'
import type { BucketPermission } from '../../lib/storage/tokens/token-store.ts'
import type { Caller } from '../services/services.ts'

/** 403 `accessDenied`, in the hosted service's words. `contextParams` name the right that is missing, for the console and for people. */
export const accessDenied = (missing?: string): UserError =>
  new UserError('accessDenied', "You don't have access to the resource.", {
    params: missing === undefined ? {} : { missing },
  })

/** Throws 403 `accessDenied` unless the caller's right on the bucket is at least this one. */
export const requireBucket = (caller: Caller, bucketId: string, needed: BucketPermission): void => {
  if (!mayUseBucket(caller, bucketId, needed)) throw accessDenied(`${needed} on the bucket ${bucketId}`)
}

/** Throws 403 `accessDenied` as `requireBucket` does. */
export const requireTable = (caller: Caller, tableId: string, needed: BucketPermission): void =>
  requireBucket(caller, bucketOfTable(tableId), needed)

export const mayReadTable = (caller: Caller, tableId: string): boolean =>
  mayUseBucket(caller, bucketOfTable(tableId), 'read')

/** A token of limited rights sees only its own jobs: results contain tables and files. */
export const maySeeJob = (caller: Caller, job: { creatorToken: { id: string } }): boolean =>
  caller.canManageBuckets || job.creatorToken.id === caller.tokenId

/** For what belongs to the whole project (new buckets, branches, triggers): the caller must manage all buckets. */
export const requireAllBuckets = (caller: Caller): void => {
  if (!caller.canManageBuckets) throw accessDenied('all buckets (canManageBuckets)')
}

/** Only the master token manages tokens. */
export const requireMaster = (caller: Caller): void => {
  if (!caller.isMaster) throw accessDenied('the rights of the master token')
}
