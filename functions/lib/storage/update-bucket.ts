import { TransientError, UserError } from '../errors/errors.ts'
import type { BucketRecord, BucketStore } from './buckets/bucket-store.ts'
import { defaultBranchId } from './db/branch-id.ts'
import { OVERTAKEN, untilWritten } from './db/until-written.ts'
import type { StorageStores } from './storage-stores.ts'
import type { AliasStore } from './tables/aliases/alias-store.ts'
import { dropTable } from './tables/drop-table.ts'
import type { TableStore } from './tables/table-store.ts'
import type { TokenStore } from './tokens/token-store.ts'

interface BucketChange {
  displayName?: string | undefined
  color?: string | null | undefined
  owner?: BucketRecord['owner']
  /** Metadata of it were set. */
  isDescribed?: boolean
}

/**
 * Changes a bucket's settings. A new display name is no update in the sense of `updated`: clients expect so. Unchanged values write nothing. Resolves to the bucket, or `undefined` if it is gone.
 * Error: 400 `storage.buckets.alreadyExists` when another bucket of the stage has that display name.
 */
export const updateBucket = (
  bucketId: string,
  { displayName, color, owner, isDescribed = false }: BucketChange,
  { buckets, totals, now }: Pick<StorageStores, 'buckets' | 'totals'> & { now: () => Date },
): Promise<BucketRecord | undefined> => {
  return untilWritten(
    () => bucketBusy(bucketId),
    async () => {
      const bucket = await buckets.get(bucketId)
      if (!bucket) return undefined
      const changed = {
        ...bucket,
        displayName: displayName ?? bucket.displayName,
        color: color === undefined ? bucket.color : color,
        ...(owner && { owner }),
      }
      const isUpdate = isDescribed || changed.owner?.id !== bucket.owner?.id || changed.color !== bucket.color
      if (changed.displayName === bucket.displayName && !isUpdate) return bucket
      if (changed.displayName !== bucket.displayName) await refuseTaken(changed, { buckets, totals })
      const updated = { ...changed, ...(isUpdate && { updated: now().toISOString() }) }
      return (await buckets.replace(updated)) ? updated : OVERTAKEN
    },
  )
}

const bucketBusy = (bucketId: string): TransientError =>
  new TransientError('storage.buckets.busy', `The bucket "${bucketId}" is being changed by another request.`)

/** Error: 400 `storage.buckets.alreadyExists` when another bucket of the stage has that display name. */
export const refuseTaken = async (
  { id, stage, displayName }: Pick<BucketRecord, 'id' | 'stage' | 'displayName'>,
  { buckets, totals }: Pick<StorageStores, 'buckets' | 'totals'>,
): Promise<void> => {
  const named = (await totals.bucketNames()).filter(
    other => other.id !== id && other.id.startsWith(`${stage}.`) && other.displayName === displayName,
  )
  for (const other of named)
    if ((await buckets.get(other.id))?.displayName === displayName)
      throw new UserError(
        'storage.buckets.alreadyExists',
        `The display name "${displayName}" already exists in project.`,
      )
}

interface DeleteBucketOptions extends Pick<StorageStores, 'branches' | 'inBranch' | 'ownTables'> {
  buckets: BucketStore
  tables: TableStore
  aliases: AliasStore
  tokens: TokenStore
  now: () => Date
}

/** After a delete that stopped half-way no table can be added for this long. */
const DELETING_MS = 60_000

/**
 * Deletes a bucket, with `force` also its tables, and the aliases of those in other buckets. Idempotent. Resolves to the
 * ids of these aliases.
 *
 * The bucket is marked before its tables are listed, and whoever adds a table checks for the mark afterwards. So a
 * table that is created at this moment is either listed here or withdrawn there. None is left without a bucket.
 *
 * Error: 400 `buckets.deleteNotEmpty`.
 */
export const deleteBucket = async (
  bucketId: string,
  force: boolean,
  { buckets, tables, aliases, tokens, now, ...branchStores }: DeleteBucketOptions,
): Promise<string[]> => {
  const bucket = await buckets.get(bucketId)
  if (!bucket) return []
  const marked = { ...bucket, deletingUntil: new Date(now().getTime() + DELETING_MS).toISOString() }
  if (!(await buckets.replace(marked))) throw bucketBusy(bucketId)
  const current = { ...marked, revision: marked.revision + 1 }

  const tablesCount = force ? 0 : (await tables.listNames(bucketId)).length
  if (tablesCount > 0) {
    await buckets.replace({ ...current, deletingUntil: null })
    throw new UserError(
      'buckets.deleteNotEmpty',
      `Only empty buckets can be deleted. There are ${tablesCount} tables in the bucket.`,
    )
  }
  const found = await tables.listInBucket(bucketId)
  const dropped: string[] = []
  for (const table of found) dropped.push(...(await dropTable(table, { force, tables, aliases })))
  if (!(await isElsewhere(bucket, branchStores))) await withdrawPermissions(bucketId, tokens)
  if (!(await buckets.delete(current))) throw bucketBusy(bucketId)
  return dropped.filter(id => !id.startsWith(`${bucketId}.`))
}

/** Whether a branch's bucket also exists in the default branch or another one, where its permissions are still needed. */
const isElsewhere = async (
  { id, branchId }: BucketRecord,
  { branches, inBranch, ownTables }: Pick<DeleteBucketOptions, 'branches' | 'inBranch' | 'ownTables'>,
): Promise<boolean> => {
  if (branchId === undefined) return false
  if (await inBranch(defaultBranchId).buckets.get(id)) return true
  for (const branch of await branches.list())
    if (branch.id !== branchId && (await ownTables(branch.id).buckets.get(id))) return true
  return false
}

/** Permissions go too: a new bucket of the same name must not inherit them. */
const withdrawPermissions = async (bucketId: string, tokens: TokenStore): Promise<void> => {
  for (const token of await tokens.list()) {
    if (!Object.hasOwn(token.bucketPermissions, bucketId)) continue
    await tokens.update(token.id, ({ bucketPermissions: { [bucketId]: _, ...others }, ...current }) => ({
      ...current,
      bucketPermissions: others,
    }))
  }
}
