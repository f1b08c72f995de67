import { defaultBranchId } from '../lib/storage/db/branch-id.ts'
import type { TableStore } from '../lib/storage/tables/table-store.ts'
import type { SweepServices } from './page.ts'

/**
 * The buckets of all branches, of each branch only those that are its own. The development branches come first: a branch
 * that copies a head from the default branch while we read has it there still when we come to that.
 */
export const everyBucket = async ({
  branches,
  inBranch,
  ownTables,
}: SweepServices): Promise<{ branchId: number; bucketId: string; tables: TableStore }[]> => {
  const branchIds = (await branches.list()).map(({ id }) => id).filter(id => id !== defaultBranchId)
  const found: { branchId: number; bucketId: string; tables: TableStore }[] = []
  for (const branchId of [...branchIds, defaultBranchId]) {
    const { buckets, tables } = branchId === defaultBranchId ? inBranch(branchId) : ownTables(branchId)
    for (const { id } of await buckets.list()) found.push({ branchId, bucketId: id, tables })
  }
  return found
}
