import {
  type AttributeCondition,
  type Condition,
  type Decision,
  type Item,
  type ItemKey,
  type ItemTable,
  type ItemView,
  type ItemWrite,
  plainView,
  startingWith,
} from '../../items/item-table.ts'
import { bucketKey, bucketOfPartition } from '../buckets/bucket-key.ts'

const partitionOf = (branchId: number) => `BRANCH#${branchId}`

interface BranchItemsOptions {
  branchId: number
  /** Leave out what the branch has not made its own. Default: false. */
  ownOnly?: boolean
}

/**
 * The items of buckets and tables as one branch sees them (`seenItem`). All its own items are in one partition, under
 * the keys that they have in the default branch. The default branch's items are never written.
 *
 * An own item is replaced by a mark when it is deleted, and never removed. So a reader that takes the default's item
 * first and its own afterwards sees what was there when it took the first.
 */
export const createBranchItems = (items: ItemTable, { branchId, ownOnly = false }: BranchItemsOptions) => {
  const ownKey = ownKeyOf(branchId)
  const plain = plainView(items)
  const { bucketState, look } = createLook(items, { branchId, ownOnly })

  const ownItem = (key: ItemKey, [attributes, state]: OwnWrite['item'], when: Condition): ItemWrite => ({
    action: 'put',
    key: ownKey(key),
    item: { ...attributes, branchId, branchState: state },
    when,
  })

  return {
    get: async (key: ItemKey): Promise<Item | undefined> => (await look(key)).seen,

    /** The default branch's item, while the branch sees that one. */
    async unowned(key: ItemKey): Promise<Item | undefined> {
      const { own, seen } = await look(key)
      return own ? undefined : seen
    },

    /** Makes a copy of the default branch's item the branch's own. Refused when it has one. */
    adopting: (key: ItemKey, copy: Item): ItemWrite => ownItem(key, [copy, 'copied'], 'absent'),

    /** The default branch's item, whatever the branch sees. */
    shared: (key: ItemKey): Promise<Item | undefined> => items.get(key),

    /** As `adopting`, in place of what the branch has or has deleted. Refused when that changes meanwhile. */
    async adoptingAgain(key: ItemKey, copy: Item): Promise<ItemWrite> {
      const own = await items.get(ownKey(key))
      return ownItem(key, [copy, 'copied'], own ? isVery(own) : 'absent')
    },

    /** What the branch itself made of a key: `undefined` while it has written nothing. */
    state: async (key: ItemKey): Promise<OwnState | undefined> => stateOf(await items.get(ownKey(key))),

    /** As of any items. `undefined` also for an item that the branch would have to adopt first. */
    async writing(key: ItemKey, attributes: Item | undefined, when: Condition): Promise<Decision> {
      const found = await look(key)
      const write = attributes ? writing(found, attributes, when) : deleting(found, when)
      return write && [ownItem(key, write.item, write.when)]
    },

    /** Of its own item. The default branch's that it sees is looked at only. */
    async touching(key: ItemKey, when: AttributeCondition): Promise<ItemWrite> {
      const own = await items.get(ownKey(key))
      return own ? plain.touching(ownKey(key), when) : { action: 'check', key, when }
    },

    decide: plain.decide,

    /** Items are read whole. */
    async *query(
      pk: string,
      { attributes: _, ...range }: Parameters<ItemTable['query']>[1],
    ): AsyncGenerator<Item> {
      const shared = new Map<string, Item>()
      if (!ownOnly) for await (const item of items.query(pk, range)) shared.set(String(item['sk']), item)
      const bucket = await bucketState(pk)
      const own = new Map<string, Item>()
      const ownRange = { ...range, from: `${pk}/${range.from}`, to: `${pk}/${range.to}` }
      for await (const item of items.query(partitionOf(branchId), ownRange))
        own.set(String(item['sk']).slice(pk.length + 1), item)
      const keys = [...new Set([...shared.keys(), ...own.keys()])].toSorted(byText)
      for (const sk of range.newestFirst ? keys.reverse() : keys) {
        const seen = seenItem({ own: own.get(sk), shared: shared.get(sk), bucket })
        if (seen) yield { ...seen, sk }
      }
    },

    /** Removes all own items. Only for a branch that nobody can reach any more. */
    async clear(): Promise<void> {
      const pk = partitionOf(branchId)
      for await (const { sk } of items.query(pk, { ...startingWith(''), attributes: ['sk'] }))
        await items.delete({ pk, sk: String(sk) })
    },
  }
}

export type BranchItems = ReturnType<typeof createBranchItems> & ItemView

const ownKeyOf =
  (branchId: number) =>
  ({ pk, sk }: ItemKey): ItemKey => ({ pk: partitionOf(branchId), sk: `${pk}/${sk}` })

/** What the branch has and sees under a key. */
const createLook = (items: ItemTable, { branchId, ownOnly = false }: BranchItemsOptions) => {
  const ownKey = ownKeyOf(branchId)

  const bucketState = async (pk: string): Promise<OwnState | undefined> => {
    const bucketId = bucketOfPartition(pk)
    return bucketId === undefined ? undefined : stateOf(await items.get(ownKey(bucketKey(bucketId))))
  }

  const look = async (key: ItemKey): Promise<{ own: Item | undefined; seen: Item | undefined }> => {
    const shared = ownOnly ? undefined : await items.get(key)
    const [bucket, own] = await Promise.all([bucketState(key.pk), items.get(ownKey(key))])
    return { own, seen: seenItem({ own, shared, bucket }) }
  }

  return { bucketState, look }
}

interface OwnWrite {
  item: [attributes: Item, state: OwnState]
  when: Condition
}

/** How a branch writes an item of its own. `undefined` also for one that it would have to adopt first. */
const writing = (
  { own, seen }: { own: Item | undefined; seen: Item | undefined },
  attributes: Item,
  when: Condition,
): OwnWrite | undefined => {
  if (when === 'absent')
    return seen === undefined ? { item: [attributes, 'created'], when: own ? isStill(own) : when } : undefined
  if (!own || !seen || when instanceof Date) return undefined
  const kept = { ...attributes, ...(own['copyOf'] !== undefined && { copyOf: own['copyOf'] }) }
  return { item: [kept, stateOf(own) ?? 'created'], when: { ...isStill(own), ...when } }
}

/** Marks as deleted. Whoever read the default's item deletes the copy too that was made of it meanwhile. */
const deleting = (
  { own, seen }: { own: Item | undefined; seen: Item | undefined },
  when: Condition,
): OwnWrite | undefined => {
  const wanted = seen && asOfCopy(seen, when)
  if (!wanted || !holds(seen, wanted)) return undefined
  return { item: [{}, 'deleted'], when: own ? { ...isStill(own), ...wanted } : 'absent' }
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1)

const isStill = (own: Item): Record<string, string> => ({ branchState: stateOf(own) ?? 'created' })

const isVery = (own: Item): Record<string, string | number> => ({
  ...isStill(own),
  ...(own['revision'] !== undefined && { revision: Number(own['revision']) }),
  ...(own['internalId'] !== undefined && { internalId: Number(own['internalId']) }),
})

/** A copy has an internal id of its own, and knows that of the table that it is a copy of. */
const asOfCopy = (seen: Item, when: Condition): AttributeCondition => {
  if (when === 'absent' || when instanceof Date) return {}
  const isOfOriginal = seen['copyOf'] !== undefined && when['internalId'] === seen['copyOf']
  return isOfOriginal ? { ...when, internalId: Number(seen['internalId']) } : when
}

const holds = (item: Item, when: AttributeCondition): boolean =>
  Object.entries(when).every(([name, value]) => item[name] === value)

/**
 * How a branch's own item came to be: as a copy of the default branch's, or by itself. `deleted`: the branch has deleted
 * what was there, and sees nothing under the key.
 */
type OwnState = 'copied' | 'created' | 'deleted'

interface Candidates {
  /** The branch's own item. */
  own: Item | undefined
  /** The default branch's item under the same key. */
  shared: Item | undefined
  /** The state of the branch's own item of the bucket that the key lies in; `undefined` also for a bucket itself. */
  bucket?: OwnState | undefined
}

const stateOf = (own: Item | undefined): OwnState | undefined => {
  const state = own?.['branchState']
  return state === 'copied' || state === 'created' || state === 'deleted' ? state : undefined
}

/**
 * What a branch sees under a key: its own item, or else the default branch's. Nothing of a bucket that the branch has
 * deleted; and of one that it made itself, only what is its own.
 */
const seenItem = ({ own, shared, bucket }: Candidates): Item | undefined => {
  if (bucket === 'deleted') return undefined
  if (own) return stateOf(own) === 'deleted' ? undefined : own
  return bucket === 'created' ? undefined : shared
}
