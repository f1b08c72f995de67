import { z } from 'zod'
import { UserError } from '../../errors/errors.ts'
import type { ItemTable } from '../../items/item-table.ts'
import { wireDate } from '../../wire/wire-date.ts'
import { defaultBranchId } from '../db/branch-id.ts'
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

type BranchStore = ReturnType<typeof createBranchStore>

/** The branch on the wire (docs/reference/storage-api.md#branches). */
export const branchResource = (branch: BranchRecord) => ({
  id: branch.id,
  name: branch.name,
  description: branch.description,
  created: wireDate(branch.created),
  isDefault: branch.id === defaultBranchId,
  creatorToken: { id: Number(branch.creatorToken.id), name: branch.creatorToken.description },
})

/** Error: 400 `devBranch.duplicateName` when another branch has the name. */
export const refuseTakenName = async (
  branches: Pick<BranchStore, 'list'>,
  { id, name }: { id?: number; name: string },
): Promise<void> => {
  if ((await branches.list()).some(other => other.id !== id && other.name === name))
    throw new UserError('devBranch.duplicateName', `There already is a branch with name "${name}"`)
}
