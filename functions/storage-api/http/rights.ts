import { UserError } from '../../lib/errors/errors.ts'
import type { BucketPermission } from '../../lib/storage/tokens/token-store.ts'
import type { Caller } from './authenticate.ts'

/** 403 `accessDenied`, in the hosted service's words. */
export const accessDenied = (): UserError =>
  new UserError('accessDenied', "You don't have access to the resource.")

const rank: Record<BucketPermission, number> = { read: 1, write: 2, manage: 3 }

/** Whether the caller's right on a bucket is at least this one. */
export const mayUseBucket = (caller: Caller, bucketId: string, needed: BucketPermission): boolean => {
  if (caller.canManageBuckets) return true
  const granted = Object.hasOwn(caller.bucketPermissions, bucketId)
    ? caller.bucketPermissions[bucketId]
    : undefined
  return granted !== undefined && rank[granted] >= rank[needed]
}

/** Throws 403 `accessDenied` unless the caller's right on the bucket is at least this one. */
export const requireBucket = (caller: Caller, bucketId: string, needed: BucketPermission): void => {
  if (!mayUseBucket(caller, bucketId, needed)) throw accessDenied()
}

/** `in.c-main.orders` is in the bucket `in.c-main`. Throws 403 `accessDenied` as `requireBucket` does. */
export const requireTable = (caller: Caller, tableId: string, needed: BucketPermission): void =>
  requireBucket(caller, bucketOf(tableId), needed)

export const mayReadTable = (caller: Caller, tableId: string): boolean =>
  mayUseBucket(caller, bucketOf(tableId), 'read')

const bucketOf = (tableId: string): string => tableId.slice(0, Math.max(tableId.lastIndexOf('.'), 0))

/** A token of limited rights sees only its own jobs: results contain tables and files. */
export const maySeeJob = (caller: Caller, job: { creatorToken: { id: string } }): boolean =>
  caller.canManageBuckets || job.creatorToken.id === caller.tokenId

/** Whether the caller may use the configurations of a component. */
export const mayUseComponent = (caller: Caller, componentId: string): boolean =>
  caller.canManageBuckets || caller.componentAccess.includes(componentId)

/** For what belongs to the whole project (new buckets, branches, triggers): the caller must manage all buckets. */
export const requireAllBuckets = (caller: Caller): void => {
  if (!caller.canManageBuckets) throw accessDenied()
}

/** Only the master token manages tokens. */
export const requireMaster = (caller: Caller): void => {
  if (!caller.isMaster) throw accessDenied()
}
