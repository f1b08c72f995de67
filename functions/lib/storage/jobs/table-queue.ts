import type { LeaseStore } from '../../aws/lease.ts'
import { defaultBranchId } from '../branches/branch-store.ts'
import { idSortKey } from '../db/ids.ts'
import type { ItemTable } from '../db/item-table.ts'

interface TableLease {
  /** Id of a job. */
  owner: number
}

/** The right to change one table, held by one job at a time. Its item lies beside the entries of the table's queue. */
const createTableLeaseStore = (items: ItemTable, partition: string): LeaseStore<TableLease, undefined> => {
  // Version 0.1 gave the item its name.
  const key = { pk: partition, sk: 'CLAIM' }
  const content = { content: undefined }

  const holder = async (): Promise<TableLease | undefined> => {
    const item = await items.get(key)
    return item && { owner: Number(item['owner']) }
  }

  return {
    holder,

    take: async ({ owner }, from) => {
      if (await items.put(key, { owner }, from === undefined ? 'absent' : { owner: from })) return content
      return (await holder())?.owner === owner ? content : undefined
    },

    release: async owner => {
      await items.delete(key, { owner })
    },
  }
}

/** Entries of some 70 bytes: two read units. */
const SAMPLED = 100

/**
 * The jobs that are to run on one table, in the order in which they were accepted, and the lease of the one that runs.
 *
 * A table that does not exist yet has a queue as well: two jobs that create it are in it. Entries and the lease
 * outlive a crash; whoever finds one of a job that is final may remove it. A table of a branch has a queue of its own.
 */
export const createTableQueue = (items: ItemTable, branchId = defaultBranchId) => {
  const ofBranch = branchId === defaultBranchId ? '' : `${branchId}#`
  const partition = (tableId: string) => `QUEUE#${ofBranch}${tableId}`

  /** Digits only, so that the item of the lease is left out. */
  async function* entries(
    tableId: string,
    { from = '0', to = ':', pageSize }: { from?: string; to?: string; pageSize: number },
  ): AsyncGenerator<number> {
    for await (const item of items.query(partition(tableId), { from, to, pageSize }))
      yield Number(item['jobId'])
  }

  return {
    /** Adds the job to the queue. Idempotent. */
    enter: async (tableId: string, jobId: number): Promise<void> => {
      await items.put({ pk: partition(tableId), sk: idSortKey(jobId) }, { jobId })
    },

    leave: async (tableId: string, jobId: number): Promise<void> => {
      await items.delete({ pk: partition(tableId), sk: idSortKey(jobId) })
    },

    /** The job that came first, or `undefined` when the queue is empty. */
    async first(tableId: string): Promise<number | undefined> {
      for await (const jobId of entries(tableId, { pageSize: 1 })) return jobId
      return undefined
    },

    /** The jobs that come after this one, in their order; at most `limit` of them. */
    async behind(tableId: string, jobId: number, limit: number): Promise<number[]> {
      const found: number[] = []
      for await (const id of entries(tableId, { from: idSortKey(jobId + 1), pageSize: limit })) {
        if (found.length >= limit) break
        found.push(id)
      }
      return found
    },

    /**
     * About how many jobs come before this one. Few are counted. Of many, some hundred in front say how many came in a
     * second, since ids grow with time: counting thousands for each of thousands would make the queue a hot key.
     */
    async estimateBefore(tableId: string, jobId: number): Promise<number> {
      const sample: number[] = []
      for await (const id of entries(tableId, { to: idSortKey(jobId - 1), pageSize: SAMPLED })) {
        sample.push(id)
        if (sample.length >= SAMPLED) break
      }
      const [first = 0] = sample
      const last = sample.at(-1) ?? 0
      if (sample.length < SAMPLED) return sample.length
      return Math.round(sample.length * (1 + (jobId - last) / Math.max(1, last - first)))
    },

    lease: (tableId: string) => createTableLeaseStore(items, partition(tableId)),
  }
}

export type TableQueue = ReturnType<typeof createTableQueue>
