import type { BucketStore } from '../buckets/bucket-store.ts'
import { type BranchTotals, shareOf, sumOf, type Totals } from '../totals/totals.ts'
import type { TableStore } from './table-store.ts'

/** For development branches, which share most tables with the default branch and hold few of their own. */
export const listTotals = ({
  buckets,
  tables,
}: {
  buckets: BucketStore
  tables: TableStore
}): BranchTotals => {
  const of = async (bucketId: string): Promise<Totals> =>
    sumOf(
      (await tables.listInBucket(bucketId)).map(({ alias, snapshot, ...head }) =>
        shareOf({ ...head, ...(!alias && { snapshot }) }),
      ),
    )
  const ofEach = async (): Promise<Map<string, Totals>> => {
    const found = new Map<string, Totals>()
    for (const { id } of await buckets.list()) found.set(id, await of(id))
    return found
  }
  return {
    of,
    ofEach,
    ofAll: async () => sumOf([...(await ofEach()).values()]),
    bucketNames: () => buckets.list(),
  }
}
