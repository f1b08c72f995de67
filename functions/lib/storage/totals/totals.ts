import { z } from 'zod'
import {
  type Item,
  type ItemKey,
  type ItemTable,
  type ItemWrite,
  startingWith,
} from '../../items/item-table.ts'
import { bucketOfTable } from '../tokens/rights.ts'

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

const PARTITION = 'SHARES'
const keyOf = (bucketId: string, name: string): ItemKey => ({ pk: PARTITION, sk: `${bucketId}.${name}` })

const share = z.object({
  tablesCount: z.number(),
  rowsCount: z.number(),
  dataSizeBytes: z.number(),
  lastChangeDate: z.string(),
})

/** What the heads of tables and of aliases say of their shares. */
const countedHead = z.object({
  created: z.string(),
  lastChangeDate: z.string().nullable().default(null),
  snapshot: z.object({ rowsCount: z.number(), dataSizeBytes: z.number() }).optional(),
})

/**
 * Of the default branch: the share of each table is an item, written and deleted with its head. Those of a bucket lie together, so whoever asks
 * for a sum reads about a hundred bytes a table. What has gone from a bucket leaves the time of that.
 */
export const createTableShares = (items: ItemTable, now: () => Date) => {
  const sharesIn = (prefix: string) => items.query(PARTITION, startingWith(prefix))

  const ofEach = async () => {
    const found = new Map<string, Totals[]>()
    for await (const item of sharesIn('')) {
      const bucketId = bucketOfTable(String(item['sk']))
      found.set(bucketId, [...(found.get(bucketId) ?? []), share.parse(item)])
    }
    return new Map([...found].map(([bucketId, shares]) => [bucketId, sumOf(shares)]))
  }

  return {
    /** With the head of a table, or with its end. */
    writing: (
      { bucketId, name }: { bucketId: string; name: string },
      head: Item | undefined,
    ): ItemWrite[] => {
      const own = keyOf(bucketId, name)
      if (head) return [{ action: 'put', key: own, item: { ...shareOf(countedHead.parse(head)) } }]
      const gone = { ...noTotals, lastChangeDate: now().toISOString() }
      return [
        { action: 'delete', key: own },
        { action: 'put', key: keyOf(bucketId, ''), item: gone },
      ]
    },

    of: async (bucketId: string) =>
      sumOf(await Array.fromAsync(sharesIn(keyOf(bucketId, '').sk), item => share.parse(item))),
    ofEach,
    ofAll: async () => sumOf([...(await ofEach()).values()]),
  } satisfies BranchTotals & Record<string, unknown>
}
