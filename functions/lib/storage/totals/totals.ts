import type { BucketRecord } from '../buckets/bucket-store.ts'

/** What the tables of a bucket, or of all buckets, come to. An alias counts as a table without rows. */
export interface Totals {
  tablesCount: number
  rowsCount: number
  dataSizeBytes: number
  /** ISO 8601 in UTC; absent: no table has been in the bucket. */
  lastChangeDate?: string | undefined
}

type NamedBucket = Pick<BucketRecord, 'id' | 'displayName'>

/** What a branch holds altogether. The default branch keeps it; of another branch it is made anew from the heads. */
export interface BranchTotals {
  of(bucketId: string): Promise<Totals>
  /** By bucket id. A bucket that never had a table may be absent. */
  ofEach(): Promise<Map<string, Totals>>
  ofAll(): Promise<Totals>
  /** All buckets, by id. */
  bucketNames(): Promise<NamedBucket[]>
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
