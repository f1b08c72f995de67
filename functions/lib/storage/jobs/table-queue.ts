import { idSortKey } from '../db/ids.ts'
import type { ItemTable } from '../db/item-table.ts'

const CLAIM = 'CLAIM'

/**
 * The queue of jobs for one table, in the order in which they were accepted, and the claim of the job that runs.
 *
 * A table that does not exist yet has a queue too: two jobs that create it run one after the other. Entries and the
 * claim survive a crash. Anybody may remove those of a finished job.
 */
export const createTableQueue = (items: ItemTable) => {
  const partition = (tableId: string) => `QUEUE#${tableId}`

  return {
    /** Adds the job to the queue. Idempotent. */
    enter: async (tableId: string, jobId: number): Promise<void> => {
      await items.put({ pk: partition(tableId), sk: idSortKey(jobId) }, { jobId })
    },

    leave: async (tableId: string, jobId: number): Promise<void> => {
      await items.delete({ pk: partition(tableId), sk: idSortKey(jobId) })
    },

    /** The first job of the queue, or `undefined` when it is empty. */
    async first(tableId: string): Promise<number | undefined> {
      // Digits only, to skip the claim item.
      for await (const item of items.query(partition(tableId), { from: '0', to: ':', pageSize: 1 }))
        return Number(item['jobId'])
      return undefined
    },

    /** The job that has claimed the table. */
    async claimant(tableId: string): Promise<number | undefined> {
      const item = await items.get({ pk: partition(tableId), sk: CLAIM })
      return item && Number(item['owner'])
    },

    /** Claims the table if it is free or held by `previousOwner`. Resolves to false when another job holds it. */
    claim: (tableId: string, jobId: number, previousOwner?: number): Promise<boolean> =>
      items.put(
        { pk: partition(tableId), sk: CLAIM },
        { owner: jobId },
        previousOwner === undefined ? 'absent' : { owner: previousOwner },
      ),

    release: async (tableId: string, jobId: number): Promise<void> => {
      await items.delete({ pk: partition(tableId), sk: CLAIM }, { owner: jobId })
    },
  }
}
