import { checkingBucket } from '../../lib/storage/buckets/bucket-key.ts'
import type { BucketRecord } from '../../lib/storage/buckets/bucket-store.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import type { Services } from '../services/services.ts'

/**
 * What tokens may do in a bucket that is gone does not hold for a new one of its name: it is withdrawn while there is none, and whoever
 * grants it finds a bucket there. A right holds wherever a bucket has that id, in any branch.
 */
export const withdrawPermissions = async ({ id }: BucketRecord, services: Services): Promise<void> => {
  if (await isInAnyBranch(id, services)) return
  for (const token of await services.tokens.list()) {
    if (!Object.hasOwn(token.bucketPermissions, id)) continue
    await services.tokens.update(
      token.id,
      ({ bucketPermissions: { [id]: _, ...others }, ...current }) => ({
        ...current,
        bucketPermissions: others,
      }),
      () => [checkingBucket(id, 'absent')],
    )
  }
}

export const isInAnyBranch = async (
  bucketId: string,
  { branches, inBranch, ownTables }: Pick<Services, 'branches' | 'inBranch' | 'ownTables'>,
): Promise<boolean> => {
  if (await inBranch(defaultBranchId).buckets.get(bucketId)) return true
  for (const { id } of await branches.list())
    if (id !== defaultBranchId && (await ownTables(id).buckets.get(bucketId))) return true
  return false
}
