import { UserError } from '#lib/errors/errors.ts'
import type { BucketRecord } from '#lib/storage/buckets/bucket-store.ts'
import { mayUseBucket } from '#lib/storage/tokens/rights.ts'
import { accessDenied } from '../../http/rights.ts'
import type { Caller, Services } from '../../services/services.ts'
import { itemsNamed } from './identifiers.ts'

/** Before the bucket, in the namespace of a development branch: `branch_12_in_c_main`, `branch-12.in.c-main`. */
const BRANCH = /^branch[-_](\d{1,15})[._]/

/** The development branch of a namespace. */
export const branchOf = (namespace = ''): number | undefined => {
  const id = BRANCH.exec(namespace)?.[1]
  return id === undefined ? undefined : Number(id)
}

/** The services with the buckets and tables that the branch of a namespace sees. Error: 404 `iceberg.namespaceNotFound`. */
export const inBranchOf = async (services: Services, namespace = ''): Promise<Services> => {
  const branchId = branchOf(namespace)
  if (branchId === undefined) return services
  if (!(await services.branches.get(branchId))) throw namespaceNotFound(namespace)
  return { ...services, ...services.inBranch(branchId) }
}

/** Buckets, of a branch if one is given, as namespaces. */
export const namespacesOf = (buckets: readonly { id: string }[], branchId?: number | undefined) =>
  buckets.map(({ id: bucketId }) => {
    const id = branchId === undefined ? bucketId : `branch-${branchId}.${bucketId}`
    return { id, name: id, bucketId }
  })

/**
 * The bucket that a namespace stands for, by alias or by id.
 *
 * Errors: 403 `accessDenied` when the caller may not read it. A caller who may not read all buckets gets it for a namespace
 * that does not exist too, so that nobody can probe for names. 404 `iceberg.namespaceNotFound`, for one of several levels
 * whoever asks: there is none. 400 `iceberg.ambiguousName`.
 */
export const findNamespace = async (
  services: Services,
  caller: Caller,
  namespace: string,
): Promise<BucketRecord> => {
  if (namespace.includes(LEVELS)) throw namespaceNotFound(namespace)
  const all = namespacesOf(await services.totals.bucketNames(), branchOf(namespace))
  const found = itemsNamed(all, namespace)
  const readable = found.filter(({ bucketId }) => mayUseBucket(caller, bucketId, 'read'))
  const bucket = found.length === 1 && readable[0] && (await services.buckets.get(readable[0].bucketId))
  if (bucket) return bucket
  if (found.length > 1 && readable.length > 0)
    throw ambiguousName(
      'namespace',
      namespace,
      readable.map(({ id }) => id),
    )
  if (!caller.canManageBuckets) throw accessDenied()
  throw namespaceNotFound(namespace)
}

/** What separates levels (unit separator). No bucket has it. */
export const LEVELS = '\u001f'

const namespaceNotFound = (namespace: string): UserError =>
  new UserError(
    'iceberg.namespaceNotFound',
    `The namespace ${JSON.stringify(namespace.slice(0, 250).replaceAll(LEVELS, '.'))} does not exist.`,
  )

/** 400 `iceberg.ambiguousName`. `found`: the ids of those that the caller may read. */
export const ambiguousName = (
  kind: 'namespace' | 'table',
  name: string,
  found: readonly string[],
): UserError => {
  const ids = found.map(id => `"${id}"`).join(', ')
  const others = found.length > 1 ? ids : `${ids} and others that this token may not read`
  return new UserError(
    'iceberg.ambiguousName',
    `More than one ${kind} answers to the name "${name}": ${others}. Use the id in quotes, as the list of ${kind}s shows it.`,
  )
}
