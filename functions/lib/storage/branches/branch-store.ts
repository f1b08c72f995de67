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

/** Development branches. The default branch has an item only once its description was set. */
export const createBranchStore = (items: ItemTable) =>
  createRevisedRecords(items, {
    partition: 'BRANCHES',
    schema: branchRecord,
    name: 'branch',
    busyCode: 'storage.branches.busy',
  })

export type BranchStore = ReturnType<typeof createBranchStore>
