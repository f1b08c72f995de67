import { setImmediate as otherWork } from 'node:timers/promises'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { toAttributes } from '#lib/aws/dynamodb-request.ts'
import {
  type Condition,
  type Item,
  type ItemKey,
  type ItemTable,
  refuseOversized,
} from '#lib/storage/db/item-table.ts'
import { checkItem, checkKeys } from './dynamodb-limits.ts'
import { changed } from './memory-items.ts'

type Stored = Record<string, AttributeValue>

interface Partition {
  /** In the order of DynamoDB: by the bytes of their UTF-8. */
  sortKeys: string[]
  items: Map<string, Stored>
}

/** A reply of DynamoDB ends after some items, and others write before the next one is asked for. */
const DEFAULT_PAGE_SIZE = 1000

/**
 * An item table of one test, in memory: what the stores do costs a tenth of what it costs over HTTP. It takes and gives the same
 * values as DynamoDB's, refuses what DynamoDB refuses, and other work comes between any two calls. A property holds all to the same answers.
 */
export const createMemoryItemTable = (): ItemTable => {
  const partitions = new Map<string, Partition>()

  const find = ({ pk, sk }: ItemKey): Stored | undefined => partitions.get(pk)?.items.get(sk)

  const store = ({ pk, sk }: ItemKey, item: Stored): void => {
    const partition = partitions.get(pk) ?? { sortKeys: [], items: new Map() }
    partitions.set(pk, partition)
    if (!partition.items.has(sk)) partition.sortKeys.splice(countBefore(sk, partition.sortKeys), 0, sk)
    partition.items.set(sk, item)
  }

  const remove = ({ pk, sk }: ItemKey): void => {
    const partition = partitions.get(pk)
    if (!partition?.items.delete(sk)) return
    partition.sortKeys.splice(countBefore(sk, partition.sortKeys), 1)
  }

  const holds = (key: ItemKey, when: Condition | undefined): boolean => {
    if (when === undefined) return true
    const stored = find(key)
    if (when === 'absent') return stored === undefined
    const attributes = stored ? unmarshall(stored) : {}
    return Object.entries(when).every(([name, value]) => attributes[name] === value)
  }

  const write = async (key: ItemKey, when: Condition | undefined, change: () => void): Promise<boolean> => {
    await otherWork()
    const isDone = holds(key, when)
    if (isDone) change()
    return isDone
  }

  return {
    async get(key) {
      checkKeys([key])
      await otherWork()
      const stored = find(key)
      return stored && unmarshall(stored)
    },

    async getMany(keys) {
      checkKeys(keys)
      await otherWork()
      return keys.flatMap(key => {
        const stored = find(key)
        return stored ? [unmarshall(stored)] : []
      })
    },

    async put(key, attributes, when) {
      refuseOversized(attributes)
      checkKeys([key])
      const item = toStored({ ...attributes, ...key })
      return write(key, when, () => store(key, item))
    },

    async swap(key, attributes, when) {
      if (attributes) refuseOversized(attributes)
      checkKeys([key])
      const item = attributes && toStored({ ...attributes, ...key })
      let before: Item = {}
      const isDone = await write(key, when, () => {
        const stored = find(key)
        before = stored ? unmarshall(stored) : {}
        if (item) store(key, item)
        else remove(key)
      })
      return isDone ? before : undefined
    },

    async update(key, change, when) {
      checkKeys([key])
      let after: Stored | undefined
      await write(key, when, () => {
        const stored = find(key)
        after = toStored({ ...changed(stored ? unmarshall(stored) : {}, change), ...key })
        store(key, after)
      })
      return after && unmarshall(after)
    },

    async putAll(all) {
      for (const item of all) refuseOversized(item)
      checkKeys(all)
      const stored = all.map(item => ({ key: item, item: toStored(item) }))
      await otherWork()
      for (const { key, item } of stored) store(key, item)
    },

    async delete(key, when) {
      checkKeys([key])
      return write(key, when, () => remove(key))
    },

    async *query(pk, { from, to, newestFirst = false, pageSize = DEFAULT_PAGE_SIZE, attributes }) {
      checkKeys([{ pk, sk: from }])
      checkKeys([{ pk, sk: to }])
      if (isBefore(to, from))
        throw new Error('The BETWEEN operator requires upper bound to be greater than lower bound.')
      let after: string | undefined
      while (true) {
        await otherWork()
        const partition = partitions.get(pk)
        if (!partition) return
        const page = pageOf(partition, { from, to, newestFirst, after, size: pageSize })
        for (const stored of page) yield pick(unmarshall(stored), attributes)
        if (page.length < pageSize) return
        after = page.at(-1)?.['sk']?.S
      }
    },
  }
}

const toStored = (item: Item): Stored => {
  const stored = toAttributes(item) as Stored // of an item
  checkItem(stored)
  return stored
}

const isBefore = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0

/** How many sort keys are before this one. */
const countBefore = (sk: string, sortKeys: readonly string[]): number => {
  let [low, high] = [0, sortKeys.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(sortKeys[middle] ?? '', sk)) low = middle + 1
    else high = middle
  }
  return low
}

const countUpTo = (sk: string, sortKeys: readonly string[]): number => {
  const before = countBefore(sk, sortKeys)
  return sortKeys[before] === sk ? before + 1 : before
}

interface PageRange {
  from: string
  to: string
  newestFirst: boolean
  /** Last sort key of the page before. */
  after: string | undefined
  size: number
}

const pageOf = (
  { sortKeys, items }: Partition,
  { from, to, newestFirst, after, size }: PageRange,
): Stored[] => {
  const isFurther = after !== undefined
  const start = isFurther && !newestFirst ? countUpTo(after, sortKeys) : countBefore(from, sortKeys)
  const end = isFurther && newestFirst ? countBefore(after, sortKeys) : countUpTo(to, sortKeys)
  const page = newestFirst
    ? sortKeys.slice(Math.max(start, end - size), Math.max(start, end)).reverse()
    : sortKeys.slice(start, Math.min(start + size, end))
  return page.flatMap(sk => {
    const item = items.get(sk)
    return item ? [item] : []
  })
}

const pick = (item: Item, names: readonly string[] | undefined): Item =>
  names ? Object.fromEntries(names.filter(name => name in item).map(name => [name, item[name]])) : item
