import { randomUUID } from 'node:crypto'
import { UserError } from '../errors/errors.ts'
import { pauseRandomly } from '../pause-randomly.ts'
import { type ItemKey, nameOf, type Pause, readingTogether, untilFree, untilKnown } from './calls.ts'
import { checkItem, checkKeys, checkRange, checkTransaction } from './item-limits.ts'

/** Attribute (epoch seconds) after which DynamoDB may drop an item, some days late. Nothing relies on it. */
export const itemExpiryName = 'expiresAt'

export type Item = Record<string, unknown>

export type { ItemKey }

/** What an item must be like for a write: these attributes have these values; `undefined`: there is none of that name. */
export type AttributeCondition = Record<string, string | number | undefined>

/** Condition of a write: the stored item is absent; absent or expired by this time; or its attributes are so. */
export type Condition = 'absent' | Date | AttributeCondition

export interface ItemChange {
  /** To numbers. */
  add?: Readonly<Record<string, number>>
  set?: Readonly<Record<string, unknown>>
  remove?: readonly string[]
}

export interface ItemRange {
  /** Inclusive bounds of the sort key. */
  from: string
  to: string
  newestFirst?: boolean
  /**
   * Items of the first page, for readers that stop early. Each further one has twice as many, for those that do not.
   * Default: as many as fit 1 MB.
   */
  pageSize?: number
  /** Read only these attributes. Default: all. */
  attributes?: readonly string[]
}

// DynamoDB: an item is at most 400 KB with its attribute names (Developer Guide, "Item size"). The length as JSON is a
// good estimate: it lets us refuse with a clear message what DynamoDB would refuse with a poor one.
const MAX_ITEM_BYTES = 380_000

/** About what fits 1 MB, which is the most that a reply of DynamoDB holds (API Reference, "Query"). */
export const MAX_PAGE_SIZE = 1000

/** One part of a transaction. */
export type ItemWrite =
  | { action: 'put'; key: ItemKey; item: Item; when?: Condition | undefined }
  | { action: 'update'; key: ItemKey; change: ItemChange; when?: Condition | undefined }
  | { action: 'delete'; key: ItemKey; when?: Condition | undefined }
  | { action: 'check'; key: ItemKey; when: Condition }

/** An item whose condition did not hold, and what it was like then. */
export interface Refusal {
  key: ItemKey
  found: Item | undefined
}

interface ItemPage {
  items: Item[]
  /** Sort key after which the next page begins. Undefined: there is none. */
  after: string | undefined
}

/**
 * What keeps the items: DynamoDB in an account, SQLite on one machine. Reads are consistent. Items have their keys among their
 * attributes. A call that met another one at the same item rejects with an error that is named after it (`TransactionConflictException`); nothing is done then.
 */
export interface ItemStore {
  get(key: ItemKey): Promise<Item | undefined>
  /** The items that exist under these keys, in any order. */
  getMany(keys: readonly ItemKey[]): Promise<Item[]>
  /**
   * Stores an item, or deletes it without attributes. Resolves to what was there: `{}` when nothing was. Resolves to `undefined`
   * when the condition does not hold.
   */
  swap(key: ItemKey, attributes: Item | undefined, when: Condition | undefined): Promise<Item | undefined>
  /** Stores items without a condition. When it rejects, some may be stored. */
  putAll(all: readonly (ItemKey & Item)[]): Promise<void>
  /** Resolves to the item as it is then, or to `undefined` when the condition does not hold. */
  update(key: ItemKey, change: ItemChange, when: AttributeCondition | undefined): Promise<Item | undefined>
  /**
   * Does all of it or nothing. Resolves to the items that refused; none: it is done. What was done under the same token, some minutes ago at
   * most, is done.
   */
  transact(writes: readonly ItemWrite[], token: string): Promise<Refusal[]>
  /** The next items of a range, `pageSize` of them or as many as fit 1 MB. */
  page(pk: string, range: ItemRange, after: string | undefined): Promise<ItemPage>
}

/** The few operations that the stores of the service need, whatever keeps the items. Refuses what DynamoDB would refuse. */
export const createItemTable = (store: ItemStore, pause: Pause = pauseRandomly) => {
  const read = readingTogether(store)
  const swap = async (
    key: ItemKey,
    attributes: Item | undefined,
    when?: Condition,
  ): Promise<Item | undefined> => {
    checkKeys([key])
    if (attributes) checkNew({ ...attributes, ...key })
    return untilFree(() => store.swap(key, attributes, when), pause)
  }
  return {
    async get(key: ItemKey): Promise<Item | undefined> {
      checkKeys([key])
      return read(key)
    },

    /** The items that exist under these keys, in any order. No key may be given twice. */
    async getMany(keys: readonly ItemKey[]): Promise<Item[]> {
      checkKeys(keys)
      return store.getMany(keys)
    },

    /** Resolves to false when the condition does not hold. */
    async put(key: ItemKey, attributes: Item, when?: Condition): Promise<boolean> {
      return (await swap(key, attributes, when)) !== undefined
    },

    /**
     * Stores items without a condition, in few requests: for copies of what is stored elsewhere. No key may be given
     * twice. Rejects when some are refused again and again; others may be stored then.
     */
    async putAll(all: readonly (ItemKey & Item)[]): Promise<void> {
      checkKeys(all)
      for (const item of all) checkNew(item)
      await store.putAll(all)
    },

    /** Resolves to false when the condition does not hold. */
    async delete(key: ItemKey, when?: Condition): Promise<boolean> {
      return (await swap(key, undefined, when)) !== undefined
    },

    /**
     * As `put`, or as `delete` without attributes, and resolves to what was there: `{}` when nothing was. Resolves to
     * `undefined` when the condition does not hold.
     */
    swap,

    /**
     * Changes some attributes of an item, in one write. What is absent counts as 0. Resolves to the item as it is then, or to
     * `undefined` when the condition does not hold.
     */
    async update(key: ItemKey, change: ItemChange, when?: AttributeCondition): Promise<Item | undefined> {
      checkKeys([key])
      return untilFree(() => store.update(key, change, when), pause)
    },

    /**
     * Does all of it or nothing. Resolves to the items that refused; none: it is done. Whoever gets an error does not know whether it
     * is.
     */
    async transact(writes: readonly ItemWrite[]): Promise<Refusal[]> {
      for (const write of writes) if (write.action === 'put') refuseOversized({ ...write.item, ...write.key })
      checkTransaction(writes)
      const token = randomUUID()
      return untilKnown(() => untilFree(() => store.transact(writes, token), pause), pause)
    },

    /** The items of one partition whose sort key is in the range, in its order. */
    async *query(pk: string, range: ItemRange): AsyncGenerator<Item> {
      checkRange(pk, range.from, range.to)
      let { pageSize } = range
      let after: string | undefined
      do {
        const page = await store.page(pk, { ...range, ...(pageSize && { pageSize }) }, after)
        yield* page.items
        after = page.after
        pageSize = pageSize && Math.min(2 * pageSize, MAX_PAGE_SIZE)
      } while (after !== undefined)
    },
  }
}

export type ItemTable = ReturnType<typeof createItemTable>

/** What is written in one transaction. `undefined`: it would be refused. */
export type Decision = readonly ItemWrite[] | undefined

/** What stores of buckets and tables need, which a branch sees in its own way. */
export interface ItemView extends Pick<ItemTable, 'get' | 'query'> {
  /** Stores an item, or deletes it without attributes: for a transaction. */
  writing(key: ItemKey, attributes: Item | undefined, when: Condition): Promise<Decision>
  /** That an item is there, for the transaction that needs it: it has the next revision then, so that whoever deletes it looks again. */
  touching(key: ItemKey, when: AttributeCondition): Promise<ItemWrite>
  /** A transaction of its own. Resolves to false when it is refused. */
  decide(decision: Decision): Promise<boolean>
}

export const decideIn =
  (items: ItemTable): ItemView['decide'] =>
  async decision => {
    if (!decision) return false
    return decision.length === 0 || (await items.transact(decision)).length === 0
  }

/** All of them in one. */
export const together = async (...parts: readonly (Decision | Promise<Decision>)[]): Promise<Decision> => {
  const found = await Promise.all(parts)
  return found.some(part => part === undefined) ? undefined : addedAtOnce(found.flatMap(part => part ?? []))
}

/** A transaction names an item once: what is added to one by several parts, whatever it is then, is one change. */
const addedAtOnce = (writes: readonly ItemWrite[]): ItemWrite[] => {
  const adding = new Map<string, ItemWrite & { action: 'update' }>()
  return writes.flatMap(write => {
    if (write.action !== 'update' || write.when !== undefined || write.change.remove) return write
    const name = nameOf(write.key)
    const first = adding.get(name)
    if (!first) {
      const own = { ...write }
      adding.set(name, own)
      return own
    }
    const { add = {}, set } = write.change
    const sums = Object.entries(add).map(([of, number]) => [of, number + (first.change.add?.[of] ?? 0)])
    first.change = {
      add: { ...first.change.add, ...Object.fromEntries(sums) },
      set: { ...first.change.set, ...set },
    }
    return []
  })
}

/** The items as they are. */
export const plainView = (items: ItemTable): ItemView => ({
  get: items.get,
  query: items.query,
  writing: async (key, item, when) => [
    item ? { action: 'put', key, item, when } : { action: 'delete', key, when },
  ],
  touching: async (key, when) => ({ action: 'update', key, change: { add: { revision: 1 } }, when }),
  decide: decideIn(items),
})

/** Every sort key that begins with the prefix. */
export const startingWith = (prefix: string): ItemRange => ({
  from: prefix || ' ',
  to: `${prefix}\u{10ffff}`,
})

const checkNew = (item: ItemKey & Item): void => {
  refuseOversized(item)
  checkItem(item)
}

/** Refuses what no item can hold (`storage.requestTooLarge`). */
const refuseOversized = (attributes: Item): void => {
  const bytes = Buffer.byteLength(JSON.stringify(attributes))
  if (bytes > MAX_ITEM_BYTES)
    throw new UserError(
      'storage.requestTooLarge',
      `The request holds ${bytes} bytes of settings; at most ${MAX_ITEM_BYTES} are kept.`,
    )
}

const DAY_SECONDS = 86_400

/** What an item gets that counts for so many days from now on. */
export const expiringIn = (days: number, now: Date): { [itemExpiryName]: number } => ({
  [itemExpiryName]: secondsOf(now) + Math.round(days * DAY_SECONDS),
})

/** Whether an item does not count any more. It may stay in the table for days: DynamoDB deletes in its own time. */
export const isExpired = (item: Item, now: Date): boolean => {
  const expiry = item[itemExpiryName]
  return typeof expiry === 'number' && expiry <= secondsOf(now)
}

export const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)
