import { z } from 'zod'
import { TransientError } from '../../errors/errors.ts'
import { idSortKey } from '../db/ids.ts'
import { type ItemTable, startingWith } from '../db/item-table.ts'

const person = z.object({ id: z.string(), description: z.string() })

const mergeRequestRecord = z.object({
  id: z.number(),
  branchFromId: z.number(),
  branchIntoId: z.number(),
  title: z.string(),
  description: z.string(),
  state: z.enum(['development', 'in_review', 'approved', 'published', 'canceled']),
  creatorToken: person,
  /** ISO 8601. */
  created: z.string(),
  merged: z.object({ at: z.string(), token: person }).optional(),
  approvals: z.array(z.object({ at: z.string(), token: person })),
  revision: z.number(),
})

export type MergeRequest = z.infer<typeof mergeRequestRecord>
export type MergeRequestState = MergeRequest['state']

const PARTITION = 'MERGE-REQUESTS'
const MAX_ATTEMPTS = 10

/** Requests to merge a branch's configurations into the default branch. */
export const createMergeRequestStore = (items: ItemTable) => {
  const keyOf = (id: number) => ({ pk: PARTITION, sk: idSortKey(id) })

  const get = async (id: number): Promise<MergeRequest | undefined> => {
    const item = await items.get(keyOf(id))
    return item && mergeRequestRecord.parse(item)
  }

  return {
    get,

    /** Resolves to false when the id is taken. */
    insert: (request: MergeRequest): Promise<boolean> =>
      items.put(keyOf(request.id), { ...request }, 'absent'),

    /** Applies a change to the current request; one that returns its input writes nothing. Rejects with what it throws. */
    async update(
      id: number,
      change: (request: MergeRequest) => MergeRequest,
    ): Promise<MergeRequest | undefined> {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const current = await get(id)
        if (!current) return undefined
        const next = change(current)
        if (next === current) return current
        const changed = { ...next, revision: current.revision + 1 }
        if (await items.put(keyOf(id), changed, { revision: current.revision })) return changed
      }
      throw new TransientError('storage.mergeRequest.busy', 'The merge request is being changed by others.')
    },

    /** By creation time. */
    async list(): Promise<MergeRequest[]> {
      const found: MergeRequest[] = []
      for await (const item of items.query(PARTITION, startingWith('')))
        found.push(mergeRequestRecord.parse(item))
      return found
    },
  }
}
