import { z } from 'zod'
import {
  type Item,
  type ItemKey,
  type ItemTable,
  type ItemWrite,
  startingWith,
} from '../../items/item-table.ts'
import { bucketOfPartition, partitionOfBucket } from '../buckets/bucket-key.ts'

/** What the tables of a bucket, or of all buckets, come to. An alias counts as a table without rows. */
export interface Totals {
  tablesCount: number
  rowsCount: number
  dataSizeBytes: number
  /** ISO 8601 in UTC; absent: no table has been in the bucket. */
  lastChangeDate?: string | undefined
}

/** What a branch holds altogether. */
export interface BranchTotals {
  of(bucketId: string): Promise<Totals>
  /** By bucket id. A bucket without tables may be absent. */
  ofEach(): Promise<Map<string, Totals>>
  ofAll(): Promise<Totals>
}

export const noTotals: Totals = { tablesCount: 0, rowsCount: 0, dataSizeBytes: 0 }

/** The share that one table has in the totals. */
export const shareOf = (head: {
  created: string
  lastChangeDate: string | null
  snapshot?: { rowsCount: number; dataSizeBytes: number } | undefined
}): Totals => ({
  tablesCount: 1,
  rowsCount: head.snapshot?.rowsCount ?? 0,
  dataSizeBytes: head.snapshot?.dataSizeBytes ?? 0,
  lastChangeDate: head.lastChangeDate ?? head.created,
})

export const sumOf = (all: readonly Totals[]): Totals =>
  all.reduce(
    (sum, one) => ({
      tablesCount: sum.tablesCount + one.tablesCount,
      rowsCount: sum.rowsCount + one.rowsCount,
      dataSizeBytes: sum.dataSizeBytes + one.dataSizeBytes,
      lastChangeDate: [sum.lastChangeDate ?? '', one.lastChangeDate ?? ''].toSorted().at(-1) || undefined,
    }),
    noTotals,
  )

const PARTITION = 'TOTALS'
const keyOf = (bucketId: string): ItemKey => ({ pk: PARTITION, sk: bucketId })
const SHARE = 'SHARE#'

const counts = z.object({ tablesCount: z.number(), rowsCount: z.number(), dataSizeBytes: z.number() })
const keptTotals = counts.extend({ lastChangeDate: z.string().optional() })
/** `change`: how often it has changed; `settled`: as of which change the totals of the bucket have it, as `counted`. */
const share = keptTotals.extend({
  change: z.number(),
  settled: z.number().optional(),
  counted: counts.optional(),
})

/** What the heads of tables and of aliases say of their shares. */
const countedHead = z.object({
  created: z.string(),
  lastChangeDate: z.string().nullable().default(null),
  snapshot: z.object({ rowsCount: z.number(), dataSizeBytes: z.number() }).optional(),
})

/**
 * Of the default branch. The share of each table is an item of its own, written with its head; what has changed of it is added to the totals of
 * its bucket after that, once, by whoever comes first: the writer, the next one, or the sweep.
 */
export const createKeptTotals = (items: ItemTable) => {
  const settle = async (key: ItemKey): Promise<void> => {
    const item = await items.get(key)
    if (!item) return
    const { change, settled, counted = noTotals, lastChangeDate, ...now } = share.parse(item)
    if (settled === change) return
    const add = {
      tablesCount: now.tablesCount - counted.tablesCount,
      rowsCount: now.rowsCount - counted.rowsCount,
      dataSizeBytes: now.dataSizeBytes - counted.dataSizeBytes,
    }
    const bucketId = bucketOfPartition(key.pk) ?? ''
    const set = lastChangeDate === undefined ? {} : { lastChangeDate }
    const when = { change, settled }
    await items.transact([
      { action: 'update', key: keyOf(bucketId), change: { add, set } },
      now.tablesCount === 0
        ? { action: 'delete', key, when }
        : { action: 'update', key, change: { set: { settled: change, counted: now } }, when },
    ])
  }

  const ofEach = async () => {
    const found = new Map<string, Totals>()
    for await (const item of items.query(PARTITION, startingWith('')))
      found.set(String(item['sk']), keptTotals.parse(item))
    return found
  }

  return {
    /** With the head of a table, or with its end. */
    writing: (
      { bucketId, name }: { bucketId: string; name: string },
      head: Item | undefined,
    ): ItemWrite[] => {
      const { lastChangeDate, ...now } = head ? shareOf(countedHead.parse(head)) : noTotals
      const set = { ...now, ...(lastChangeDate !== undefined && { lastChangeDate }) }
      const key = { pk: partitionOfBucket(bucketId), sk: `${SHARE}${name}` }
      return [{ action: 'update', key, change: { add: { change: 1 }, set } }]
    },

    /** After a transaction with these writes. */
    async settleAfter(writes: readonly ItemWrite[]): Promise<void> {
      for (const { key } of writes) if (key.sk.startsWith(SHARE)) await settle(key)
    },

    /** What a death has left of a bucket. */
    async settleBucket(bucketId: string): Promise<void> {
      const pk = partitionOfBucket(bucketId)
      for await (const { sk } of items.query(pk, startingWith(SHARE))) await settle({ pk, sk: String(sk) })
    },

    async of(bucketId: string) {
      const item = await items.get(keyOf(bucketId))
      return item ? keptTotals.parse(item) : noTotals
    },
    ofEach,
    ofAll: async () => sumOf([...(await ofEach()).values()]),
  } satisfies BranchTotals & Record<string, unknown>
}
