import { z } from 'zod'
import type { ItemTable } from '../db/item-table.ts'
import { createRevisedRecords } from '../db/revised-records.ts'

const branchRecord = z.object({
  id: z.number(),
  name: z.string(),
  description: z.string(),
  created: z.string(),
  creatorToken: z.object({ id: z.string(), description: z.string() }),
  revision: z.number(),
})

export type BranchRecord = z.infer<typeof branchRecord>

/** The branch that always exists. */
export const defaultBranchId = 1

/** The branch of a record. Those of the default branch name none: they are older than branches with records. */
export const ofBranch = (branchId: number): { branchId?: number } =>
  branchId === defaultBranchId ? {} : { branchId }

/** For the scope of an idempotency key: the same key in another branch is another request. */
export const inBranch = (branchId: number): string =>
  branchId === defaultBranchId ? '' : ` in branch ${branchId}`

/** Development branches. The default branch has an item only once its description was set. */
export const createBranchStore = (items: ItemTable) =>
  createRevisedRecords(items, {
    partition: 'BRANCHES',
    schema: branchRecord,
    name: 'branch',
    busyCode: 'storage.branches.busy',
  })
