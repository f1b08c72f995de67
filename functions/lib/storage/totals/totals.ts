import { z } from 'zod'
import { hexDigest } from '../../digests.ts'
import { type ItemKey, type ItemTable, type ItemWrite, startingWith } from '../../items/item-table.ts'

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
/** The totals of a bucket lie in so many items, by the names of its tables: loads of several tables seldom meet at one. */
const PARTS = 8
const AFTER_BUCKET = '#'

const partOf = (table: { bucketId: string; name: string }): ItemKey => ({
  pk: PARTITION,
  sk: `${table.bucketId}${AFTER_BUCKET}${Number.parseInt(hexDigest(table.name, 2), 16) % PARTS}`,
})

const keptTotals = z.object({
  tablesCount: z.number(),
  rowsCount: z.number(),
  dataSizeBytes: z.number(),
  lastChangeDate: z.string().optional(),
})

/** What the heads of tables and of aliases say of their shares. */
const countedHead = z.object({
  created: z.string(),
  lastChangeDate: z.string().nullable().default(null),
  snapshot: z.object({ rowsCount: z.number(), dataSizeBytes: z.number() }).optional(),
})

const countsOf = (head: unknown): Totals => (head ? shareOf(countedHead.parse(head)) : noTotals)

/** Of the default branch: decided with the heads of its tables. */
export const createKeptTotals = (items: ItemTable) => {
  const ofEach = async () => {
    const found = new Map<string, Totals>()
    for await (const item of items.query(PARTITION, startingWith(''))) {
      const [bucketId = ''] = String(item['sk']).split(AFTER_BUCKET)
      found.set(bucketId, sumOf([found.get(bucketId) ?? noTotals, keptTotals.parse(item)]))
    }
    return found
  }

  return {
    /** With a head in place of another one. `undefined`: there is none. */
    writing: (table: { bucketId: string; name: string }, before: unknown, head: unknown): ItemWrite[] => {
      const was = countsOf(before)
      const is = countsOf(head)
      const add = {
        tablesCount: is.tablesCount - was.tablesCount,
        rowsCount: is.rowsCount - was.rowsCount,
        dataSizeBytes: is.dataSizeBytes - was.dataSizeBytes,
      }
      const { lastChangeDate } = is
      const isNewer = lastChangeDate !== undefined && lastChangeDate !== was.lastChangeDate
      if (!isNewer && Object.values(add).every(count => count === 0)) return []
      return [
        {
          action: 'update',
          key: partOf(table),
          change: { add, ...(isNewer && { set: { lastChangeDate } }) },
        },
      ]
    },

    of: async (bucketId: string) =>
      sumOf(
        await Array.fromAsync(items.query(PARTITION, startingWith(`${bucketId}${AFTER_BUCKET}`)), item =>
          keptTotals.parse(item),
        ),
      ),
    ofEach,
    ofAll: async () => sumOf([...(await ofEach()).values()]),
  } satisfies BranchTotals & Record<string, unknown>
}
