import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { UserError } from '../../errors/errors.ts'
import {
  type Condition,
  decideIn,
  type Item,
  type ItemKey,
  type ItemTable,
  type ItemView,
  startingWith,
} from '../../items/item-table.ts'
import { bucketOfPartition, bucketsPartition, partitionOfBucket, tablePrefix } from '../buckets/bucket-key.ts'
import { bucketRecord } from '../buckets/bucket-store.ts'
import { type BranchTotals, noTotals, shareOf, sumOf, type Totals } from './totals.ts'

const partition = 'TOTALS'
const ofAllKey = { pk: partition, sk: '#all' }
const namesKey = { pk: partition, sk: '#buckets' }
const keyOf = (bucketId: string): ItemKey => ({ pk: partition, sk: bucketId })

const keptTotals = z.object({
  tablesCount: z.number(),
  rowsCount: z.number(),
  dataSizeBytes: z.number(),
  lastChangeDate: z.string().optional(),
  /** How often they have changed. */
  changes: z.number(),
})
const keptNames = z.record(z.string(), z.string())

/** What the heads of tables and of aliases say of their shares. */
const countedHead = z.object({
  created: z.string(),
  lastChangeDate: z.string().nullable().default(null),
  snapshot: z.object({ rowsCount: z.number(), dataSizeBytes: z.number() }).optional(),
})

const shareOfItem = (item: Item | undefined): Totals =>
  item?.['created'] === undefined ? noTotals : shareOf(countedHead.parse(item))

/** A recount waits so long for writers that have changed a head and not yet the totals. */
const SETTLING_MS = 1000

/** Display names by bucket id: one attribute for each. */
const readNames = async (items: Pick<ItemTable, 'get'>): Promise<Record<string, string>> => {
  const { pk: _, sk: __, ...names } = (await items.get(namesKey)) ?? {}
  return keptNames.parse(names)
}

/** Less than the 400 KB of an item, which holds them all: some 9,000 buckets. */
const MOST_NAME_BYTES = 380_000

/** Error: 400 `storage.buckets.tooMany`. */
const refuseTooMany = (names: Record<string, string>): void => {
  const bytes = Buffer.byteLength(JSON.stringify(names))
  if (bytes > MOST_NAME_BYTES)
    throw new UserError(
      'storage.buckets.tooMany',
      `The names of all buckets would take ${bytes} bytes, and at most ${MOST_NAME_BYTES} are kept. Delete buckets that are not needed.`,
    )
}

const add = async (items: ItemTable, bucketId: string, before: Totals, after: Totals): Promise<void> => {
  const numbers = {
    tablesCount: after.tablesCount - before.tablesCount,
    rowsCount: after.rowsCount - before.rowsCount,
    dataSizeBytes: after.dataSizeBytes - before.dataSizeBytes,
  }
  const isChanged = after.lastChangeDate !== undefined && after.lastChangeDate !== before.lastChangeDate
  if (!isChanged && Object.values(numbers).every(number => number === 0)) return
  const change = {
    add: { ...numbers, changes: 1 },
    ...(isChanged && { set: { lastChangeDate: after.lastChangeDate ?? '' } }),
  }
  await Promise.all([keyOf(bucketId), ofAllKey].map(key => items.update(key, change)))
}

/**
 * The items of buckets and tables of the default branch, each write of which also keeps the totals and the names of buckets.
 *
 * A name is there before its bucket and goes after it. Totals follow the head: whoever dies in between leaves them wrong
 * until the next sweep (`recount`).
 */
export const keepingTotals = (items: ItemTable): ItemView => {
  const writeTable = async (
    bucketId: string,
    key: ItemKey,
    attributes: Item | undefined,
    when?: Condition,
  ): Promise<boolean> => {
    const before = await items.swap(key, attributes, when)
    if (before) await add(items, bucketId, shareOfItem(before), shareOfItem(attributes))
    return before !== undefined
  }

  const putBucket = async (key: ItemKey, attributes: Item, when?: Condition): Promise<boolean> => {
    const { id, displayName } = bucketRecord.parse(attributes)
    const keepName = () => items.update(namesKey, { set: { [id]: displayName } })
    const names = await readNames(items)
    if (names[id] === undefined) {
      refuseTooMany({ ...names, [id]: displayName })
      await keepName()
    }
    const isStored = await items.put(key, attributes, when)
    // Also of a bucket that is new: whoever deletes the one before it may be about to take the name away.
    if (isStored && (when === 'absent' || names[id] !== displayName)) await keepName()
    return isStored
  }

  const deleteBucket = async (key: ItemKey, when?: Condition): Promise<boolean> => {
    const isDeleted = await items.delete(key, when)
    if (!isDeleted) return false
    await items.update(namesKey, { remove: [key.sk] })
    const again = await items.get(key)
    if (again) await items.update(namesKey, { set: { [key.sk]: bucketRecord.parse(again).displayName } })
    return true
  }

  const tableBucketOf = ({ pk, sk }: ItemKey): string | undefined =>
    sk.startsWith(tablePrefix) ? bucketOfPartition(pk) : undefined

  return {
    get: items.get,
    query: items.query,
    async deciding(key, attributes, when) {
      const writes = [{ action: 'put' as const, key, item: attributes, when }]
      const bucketId = tableBucketOf(key)
      if (bucketId === undefined) return { writes }
      const before = when === 'absent' ? undefined : await items.get(key)
      return { writes, afterwards: () => add(items, bucketId, shareOfItem(before), shareOfItem(attributes)) }
    },
    checking: async (key, when) => ({ action: 'check', key, when }),
    decide: decideIn(items),
    put(key, attributes, when) {
      const bucketId = tableBucketOf(key)
      if (bucketId !== undefined) return writeTable(bucketId, key, attributes, when)
      return key.pk === bucketsPartition ? putBucket(key, attributes, when) : items.put(key, attributes, when)
    },
    delete(key, when) {
      const bucketId = tableBucketOf(key)
      if (bucketId !== undefined) return writeTable(bucketId, key, undefined, when)
      return key.pk === bucketsPartition ? deleteBucket(key, when) : items.delete(key, when)
    },
  }
}

/** Reads what `keepingTotals` has written: one item, or one for each bucket. */
export const createKeptTotals = (items: ItemTable) => {
  const read = async (key: ItemKey) => {
    const item = await items.get(key)
    return item ? keptTotals.parse(item) : { ...noTotals, changes: 0 }
  }

  /** What a bucket's totals are and what its heads come to; `undefined` while they change. */
  const compare = async (bucketId: string) => {
    const kept = await read(keyOf(bucketId))
    const shares: Totals[] = []
    const range = { ...startingWith(tablePrefix), attributes: ['created', 'snapshot'] }
    for await (const item of items.query(partitionOfBucket(bucketId), range)) shares.push(shareOfItem(item))
    const { changes } = await read(keyOf(bucketId))
    if (changes !== kept.changes) return undefined
    return { kept, found: { ...sumOf(shares), lastChangeDate: kept.lastChangeDate } }
  }

  return {
    of: bucketId => read(keyOf(bucketId)),
    ofAll: () => read(ofAllKey),

    async ofEach() {
      const found = new Map<string, Totals>()
      for await (const item of items.query(partition, startingWith('')))
        if (!String(item['sk']).startsWith('#')) found.set(String(item['sk']), keptTotals.parse(item))
      return found
    },

    async bucketNames() {
      const byId = Object.entries(await readNames(items)).toSorted(([one], [other]) => (one < other ? -1 : 1))
      return byId.map(([id, displayName]) => ({ id, displayName }))
    },

    /** Resolves to whether the totals of a bucket were wrong. What changes meanwhile is left to the next recount. */
    async recount(bucketId: string): Promise<boolean> {
      const first = await compare(bucketId)
      if (!first || isSame(first.kept, first.found)) return false
      await sleep(SETTLING_MS)
      const second = await compare(bucketId)
      if (second?.kept.changes !== first.kept.changes || !isSame(second.found, first.found)) return false
      await add(items, bucketId, second.kept, second.found)
      return true
    },
  } satisfies BranchTotals & Record<string, unknown>
}

const isSame = (one: Totals, other: Totals): boolean =>
  one.tablesCount === other.tablesCount &&
  one.rowsCount === other.rowsCount &&
  one.dataSizeBytes === other.dataSizeBytes
