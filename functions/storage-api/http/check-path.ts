import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import type { BucketPermission } from '../../lib/storage/tokens/token-store.ts'
import type { Caller } from '../services/services.ts'
import { accessDenied, requireAllBuckets, requireBucket, requireMaster, requireTable } from './rights.ts'

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
