import { UserError } from '../../lib/errors/errors.ts'
import { bucketOfTable, mayUseBucket, mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import type { BucketPermission } from '../../lib/storage/tokens/token-store.ts'
import type { Caller } from '../services/services.ts'

/** 403 `accessDenied`, in the hosted service's words. `contextParams` name the right that is missing, for the console and for people. */
export const accessDenied = (missing?: string): UserError =>
  new UserError('accessDenied', "You don't have access to the resource.", {
    params: missing === undefined ? {} : { missing },
  })

/** Throws 403 `accessDenied` unless the caller's right on the bucket is at least this one. */
const requireBucket = (caller: Caller, bucketId: string, needed: BucketPermission): void => {
  if (!mayUseBucket(caller, bucketId, needed)) throw accessDenied(`${needed} on the bucket ${bucketId}`)
}

/** Throws 403 `accessDenied` as `requireBucket` does. */
export const requireTable = (caller: Caller, tableId: string, needed: BucketPermission): void =>
  requireBucket(caller, bucketOfTable(tableId), needed)

/** Throws 403 `accessDenied` to a caller who may read no table at all. */
export const requireSomeTables = ({ canManageBuckets, bucketPermissions }: Caller): void => {
  if (!canManageBuckets && Object.keys(bucketPermissions).length === 0) throw accessDenied('read on a bucket')
}

export const mayReadTable = (caller: Caller, tableId: string): boolean =>
  mayUseBucket(caller, bucketOfTable(tableId), 'read')

/** A token of limited rights sees only its own jobs: results contain tables and files. */
export const maySeeJob = (caller: Caller, job: { creatorToken: { id: string } }): boolean =>
  caller.canManageBuckets || job.creatorToken.id === caller.tokenId

/** For what belongs to the whole project (new buckets, branches, triggers): the caller must manage all buckets. */
const requireAllBuckets = (caller: Caller): void => {
  if (!caller.canManageBuckets) throw accessDenied('all buckets (canManageBuckets)')
}

/** Only the master token manages tokens. */
export const requireMaster = (caller: Caller): void => {
  if (!caller.isMaster) throw accessDenied('the rights of the master token')
}

/**
 * What a route needs: a right on the bucket in its path, a right on the whole project (`project`), or the master token
 * (`master`). Default: `read` for GET, else `write`.
 */
export type Access = BucketPermission | 'project' | 'master'

/**
 * Refuses a caller who may not use the bucket, table or component in the path. Every route passes here, so a new route
 * is protected by default. What a body names, the route must check itself.
 */
export const checkPath = (
  caller: Caller,
  method: string,
  params: Readonly<Record<string, string | undefined>>,
  access: Access = method === 'get' ? 'read' : 'write',
): void => {
  if (access === 'master') requireMaster(caller)
  const needed = access === 'master' || access === 'project' ? 'manage' : access
  if (access === 'project') requireAllBuckets(caller)
  const { bucketId, tableId, columnId, componentId } = params
  if (bucketId !== undefined) requireBucket(caller, bucketId, needed)
  if (tableId !== undefined) requireTable(caller, tableId, needed)
  // `in.c-main.orders.id`, and names of columns hold no dots.
  if (columnId !== undefined) requireTable(caller, columnId.replace(/\.[^.]*$/, ''), needed)
  if (componentId !== undefined && !mayUseComponent(caller, componentId))
    throw accessDenied(`the component ${componentId}`)
}
