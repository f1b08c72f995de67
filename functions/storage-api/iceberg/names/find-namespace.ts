import { UserError } from '#lib/errors/errors.ts'
import type { BucketRecord } from '#lib/storage/buckets/bucket-store.ts'
import { mayUseBucket } from '#lib/storage/tokens/rights.ts'
import type { Caller } from '../../http/authenticate.ts'
import { accessDenied } from '../../http/rights.ts'
import type { Services } from '../../services.ts'
import { ambiguousName } from './ambiguous-name.ts'
import { itemsNamed } from './identifiers.ts'

/** All buckets as namespaces, by id. */
export const listNamespaces = async ({ totals }: Pick<Services, 'totals'>) =>
  (await totals.bucketNames()).map(({ id }) => ({ id, name: id }))

/**
 * The bucket that a namespace stands for, by alias or by id.
 *
 * Errors: 403 `accessDenied` when the caller may not read it. A caller who may not read all buckets gets it for a namespace
 * that does not exist too, so that nobody can probe for names. 404 `iceberg.namespaceNotFound`, for one of several levels
 * whoever asks: there is none. 400 `iceberg.ambiguousName`.
 */
export const findNamespace = async (
  services: Pick<Services, 'buckets' | 'totals'>,
  caller: Caller,
  namespace: string,
): Promise<BucketRecord> => {
  if (namespace.includes(LEVELS)) throw namespaceNotFound(namespace)
  const found = itemsNamed(await listNamespaces(services), namespace)
  const readable = found.filter(({ id }) => mayUseBucket(caller, id, 'read'))
  const bucket = found.length === 1 && readable[0] && (await services.buckets.get(readable[0].id))
  if (bucket) return bucket
  if (found.length > 1 && readable.length > 0) throw ambiguousName('namespace', namespace, readable)
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
