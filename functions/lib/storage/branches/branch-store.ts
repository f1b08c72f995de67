import { z } from 'zod'
import { TransientError } from '../../errors/errors.ts'
import { idSortKey } from '../db/ids.ts'
import { type ItemTable, startingWith } from '../db/item-table.ts'

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

const PARTITION = 'BRANCHES'
const MAX_UPDATE_ATTEMPTS = 10

/** Development branches. The default branch has an item only once its description was set. */
export const createBranchStore = (items: ItemTable) => {
  const keyOf = (id: number) => ({ pk: PARTITION, sk: idSortKey(id) })

  const get = async (id: number): Promise<BranchRecord | undefined> => {
    const item = await items.get(keyOf(id))
    return item && branchRecord.parse(item)
  }

  return {
    get,

    /** Resolves to false when the id is taken. */
    insert: (branch: BranchRecord): Promise<boolean> => items.put(keyOf(branch.id), { ...branch }, 'absent'),

    /**
     * Applies a change to the current branch. Resolves to the changed branch, or to `undefined` if it does not exist.
     */
    async update(
      id: number,
      change: (branch: BranchRecord) => BranchRecord,
    ): Promise<BranchRecord | undefined> {
      for (let attempt = 0; attempt < MAX_UPDATE_ATTEMPTS; attempt++) {
        const branch = await get(id)
        if (!branch) return undefined
        const changed = { ...change(branch), revision: branch.revision + 1 }
        if (await items.put(keyOf(id), changed, { revision: branch.revision })) return changed
      }
      throw new TransientError('storage.branches.busy', `The branch ${id} is being changed by many requests.`)
    },

    delete: (id: number): Promise<boolean> => items.delete(keyOf(id)),

    /** By creation time. */
    async list(): Promise<BranchRecord[]> {
      const branches: BranchRecord[] = []
      for await (const item of items.query(PARTITION, startingWith('')))
        branches.push(branchRecord.parse(item))
      return branches
    },
  }
}
