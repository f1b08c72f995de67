import { idSortKey } from '../db/ids.ts'
import type { ItemTable } from '../db/item-table.ts'

const CLAIM = 'CLAIM'

/**
 * The jobs that are to run on one table, in the order in which they were accepted, and the claim of the one that runs.
 *
 * A table that does not exist yet has a queue as well: two jobs that create it stand in line. Entries and the claim
 * outlive a crash; who finds one of a job that is final may remove it.
 */
export const createTableQueue = (items: ItemTable) => {
  const partition = (tableId: string) => `QUEUE#${tableId}`

  return {
    /** Puts the job in the queue. Idempotent. */
    enter: async (tableId: string, jobId: number): Promise<void> => {
      await items.put({ pk: partition(tableId), sk: idSortKey(jobId) }, { jobId })
    },

    leave: async (tableId: string, jobId: number): Promise<void> => {
      await items.delete({ pk: partition(tableId), sk: idSortKey(jobId) })
    },

    /** The job that came first, or `undefined` when nobody stands in line. */
    async first(tableId: string): Promise<number | undefined> {
      // Digits only, so that the claim item is left out.
      for await (const item of items.query(partition(tableId), { from: '0', to: ':', pageSize: 1 }))
        return Number(item['jobId'])
      return undefined
    },

    /** The job that holds the table. */
    async claimant(tableId: string): Promise<number | undefined> {
      const item = await items.get({ pk: partition(tableId), sk: CLAIM })
      return item && Number(item['owner'])
    },

    /** Claims the table when nobody holds it, or from `previousOwner`. Resolves to false when someone else holds it. */
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
