import { z } from 'zod'
import type { Condition, ItemTable, ItemWrite } from '../../items/item-table.ts'
import { defaultBranchId } from '../db/branch-id.ts'
import { idSortKey } from '../db/ids.ts'

/** Sorts after the places, whose sort keys are digits. */
const LEASE = 'LEASE'

/** `along`: the waiting jobs whose files its load has taken. Nobody else ends them until the lease is given back. */
const tableLease = z.object({ owner: z.number(), along: z.array(z.number()).optional() })
type TableLease = z.infer<typeof tableLease>

/** Entries of some 70 bytes: two read units. */
const SAMPLED = 100

/**
 * The jobs that are to run on one table, in the order in which they were accepted, and the lease of the one that runs. A place is there
 * exactly while its job is open, and the lease while the job that holds it is processing: both change with the job, in one
 * transaction.
 *
 * A table that does not exist yet has a queue as well: two jobs that create it are in it. A table of a branch has a queue of its own.
 */
export const createTableQueue = (items: ItemTable, branchId = defaultBranchId) => {
  const ofBranch = branchId === defaultBranchId ? '' : `${branchId}#`
  const partition = (tableId: string) => `QUEUE#${ofBranch}${tableId}`
  const leaseOf = (tableId: string) => ({ pk: partition(tableId), sk: LEASE })

  /** Digits only, so that the item of the lease is left out. */
  async function* entries(
    tableId: string,
    { to = ':', pageSize }: { to?: string; pageSize: number },
  ): AsyncGenerator<number> {
    for await (const item of items.query(partition(tableId), { from: '0', to, pageSize }))
      yield Number(item['jobId'])
  }

  const lease = async (tableId: string): Promise<TableLease | undefined> => {
    const item = await items.get(leaseOf(tableId))
    return item && tableLease.parse(item)
  }

  /** The jobs that came first, in their order; at most `limit` of them. */
  const front = async (tableId: string, limit: number): Promise<number[]> => {
    const found: number[] = []
    for await (const jobId of entries(tableId, { pageSize: limit })) if (found.push(jobId) === limit) break
    return found
  }

  return {
    lease,
    ...createQueueWrites(partition),

    /** Takes waiting jobs along, once. Resolves to false when the lease is another's, or has taken some. */
    claim: async (tableId: string, owner: number, along: readonly number[]): Promise<boolean> =>
      (await items.update(leaseOf(tableId), { set: { along } }, { owner, along: undefined })) !== undefined,

    front,

    /** The job that came first, or `undefined` when the queue is empty. */
    first: async (tableId: string): Promise<number | undefined> => (await front(tableId, 1))[0],

    /** The greatest id of a job that is in the queue, or works on the table. */
    async newest(tableId: string): Promise<number> {
      const ids: number[] = []
      // The lease, if there is one, comes first.
      const range = { from: '0', to: LEASE, newestFirst: true, pageSize: 2 }
      for await (const { jobId, owner } of items.query(partition(tableId), range))
        if (ids.push(Number(jobId ?? owner)) === 2) break
      return Math.max(0, ...ids)
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
  }
}

/** What the changes of a job say of one of its queues. */
const createQueueWrites = (partition: (tableId: string) => string) => {
  const placeOf = (tableId: string, jobId: number) => ({ pk: partition(tableId), sk: idSortKey(jobId) })
  const leaseOf = (tableId: string) => ({ pk: partition(tableId), sk: LEASE })
  return {
    /** For the transaction that accepts a job. */
    entering: (tableId: string, jobId: number): ItemWrite => ({
      action: 'put',
      key: placeOf(tableId, jobId),
      item: { jobId },
    }),

    /** For the one that begins it. Refused while another job holds the lease. */
    taking: (tableId: string, owner: number): ItemWrite => ({
      action: 'put',
      key: leaseOf(tableId),
      item: { owner } satisfies TableLease,
      when: 'absent',
    }),

    /** For the one that ends it. */
    leaving: (tableId: string, jobId: number): ItemWrite => ({
      action: 'delete',
      key: placeOf(tableId, jobId),
    }),

    /** For the end of one that has begun. */
    releasing: (tableId: string, owner: number): ItemWrite => ({
      action: 'delete',
      key: leaseOf(tableId),
      when: { owner },
    }),

    /** For the one that ends a waiting job: that no load has taken it along since the lease was read. */
    unclaimed: (tableId: string, found: TableLease | undefined): ItemWrite => {
      const isAsRead: Condition = found
        ? { owner: found.owner, ...(!found.along && { along: undefined }) }
        : 'absent'
      return { action: 'check', key: leaseOf(tableId), when: isAsRead }
    },
  }
}

export type TableQueue = ReturnType<typeof createTableQueue>
