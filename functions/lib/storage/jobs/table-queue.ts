import type { LeaseStore } from '../../aws/lease.ts'
import type { Item, ItemTable } from '../../items/item-table.ts'
import { defaultBranchId } from '../db/branch-id.ts'
import { idSortKey } from '../db/ids.ts'

interface TableLease {
  /** Id of a job. */
  owner: number
}

/** Sort key of the lease, under the word that it had when the first data were stored. Sorts after the places, whose sort keys are digits. */
const LEASE = 'CLAIM'
/** The owner of a lease that nobody holds. */
const NOBODY = 0

const throughOf = (item: Item | undefined): number => Number(item?.['through'] ?? 0)

/**
 * The right to change one table, held by one job at a time. Its item lies beside the places of the table's queue, and
 * also says up to which id jobs of the table have begun.
 */
const createTableLease = (items: ItemTable, pk: string) => {
  const key = { pk, sk: LEASE }
  const taken = { content: undefined }

  /** As it was read last: whoever looks before taking the lease reads it once. */
  let known: Item | undefined
  const read = async (): Promise<Item | undefined> => {
    known = await items.get(key)
    return known
  }
  const holderOf = (item: Item | undefined): TableLease | undefined => {
    const owner = Number(item?.['owner'] ?? NOBODY)
    return owner === NOBODY ? undefined : { owner }
  }
  /** Changes the item as it was read. It has an owner and a job up to which all have begun, or is absent. */
  const write = (lease: { owner: number; through: number }, from: Item | undefined) =>
    items.put(key, lease, from ? { owner: Number(from['owner']), through: throughOf(from) } : 'absent')

  const store: LeaseStore<TableLease, undefined> = {
    holder: async () => holderOf(await read()),

    take: async ({ owner }, deadOwner) => {
      const item = holderOf(known)?.owner === owner ? await read() : (known ?? (await read()))
      const holder = holderOf(item)?.owner
      if (holder === owner) return taken
      if (holder !== deadOwner) return undefined
      return (await write({ owner, through: Math.max(owner, throughOf(item)) }, item)) ? taken : undefined
    },

    release: async owner => {
      await items.update(key, { set: { owner: NOBODY } }, { owner })
    },
  }

  return {
    ...store,

    /** Who holds the lease, and the greatest id of a job that has begun, or that one has taken along. */
    state: async (): Promise<{ owner: number | undefined; through: number }> => {
      const item = await read()
      return { owner: holderOf(item)?.owner, through: throughOf(item) }
    },

    /**
     * Notes before a load begins that its owner takes the jobs up to this one along: from here on no job can be accepted
     * before them. Resolves to false when the lease is another's.
     */
    takeAlong: async (owner: number, upTo: number): Promise<boolean> => {
      const item = await read()
      if (holderOf(item)?.owner !== owner) return false
      return write({ owner, through: Math.max(upTo, throughOf(item)) }, item)
    },
  }
}

/** Entries of some 70 bytes: two read units. */
const SAMPLED = 100

/** The lease, the new place and the one before it. */
const NEWEST = 3

/**
 * The jobs that are to run on one table, in the order in which they were accepted, and the lease of the one that runs.
 *
 * A table that does not exist yet has a queue as well: two jobs that create it are in it. Places and the lease outlive a
 * crash; whoever finds the place of a job that is final may remove it. A table of a branch has a queue of its own.
 */
export const createTableQueue = (items: ItemTable, branchId = defaultBranchId) => {
  const ofBranch = branchId === defaultBranchId ? '' : `${branchId}#`
  const partition = (tableId: string) => `QUEUE#${ofBranch}${tableId}`
  const placeOf = (tableId: string, jobId: number) => ({ pk: partition(tableId), sk: idSortKey(jobId) })

  /** Digits only, so that the item of the lease is left out. */
  async function* entries(
    tableId: string,
    { from = '0', to = ':', pageSize }: { from?: string; to?: string; pageSize: number },
  ): AsyncGenerator<number> {
    for await (const item of items.query(partition(tableId), { from, to, pageSize }))
      yield Number(item['jobId'])
  }

  /** What stands in front of a place: the job of the place before it, and up to which id jobs have begun. */
  const lookBack = async (tableId: string, jobId: number): Promise<{ before: number; through: number }> => {
    let through = 0
    const newest = { from: '0', to: LEASE, newestFirst: true, pageSize: NEWEST }
    for await (const item of items.query(partition(tableId), newest)) {
      if (item['sk'] === LEASE) through = throughOf(item)
      else if (Number(item['jobId']) < jobId) return { before: Number(item['jobId']), through }
    }
    return { before: through, through }
  }

  return {
    /**
     * Gives the job the place of its id. Resolves to the job that comes before it, 0 when none is known; or to a later one
     * that has begun already: then the place counts for nothing.
     */
    enter: async (tableId: string, jobId: number): Promise<{ before: number } | { overtakenBy: number }> => {
      await items.put(placeOf(tableId, jobId), { jobId })
      // Read after the place was written: a later job that begins from here on finds the place in front of it.
      const { before, through } = await lookBack(tableId, jobId)
      return through < jobId ? { before } : { overtakenBy: through }
    },

    leave: async (tableId: string, jobId: number): Promise<void> => {
      await items.delete(placeOf(tableId, jobId))
    },

    has: async (tableId: string, jobId: number): Promise<boolean> =>
      (await items.get(placeOf(tableId, jobId))) !== undefined,

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

    lease: (tableId: string) => createTableLease(items, partition(tableId)),
  }
}

export type TableQueue = ReturnType<typeof createTableQueue>
