import type { Item, ItemChange, ItemKey, ItemTable } from '#lib/storage/db/item-table.ts'

interface Partition {
  items: Map<string, Item>
  /** Sort keys in their order. */
  keys: string[]
}

/** The item table in memory, for simulations of more items than a database in this process can take. */
export const createMemoryItems = (): ItemTable => {
  const partitions = new Map<string, Partition>()
  const partitionOf = (pk: string): Partition => {
    const known = partitions.get(pk)
    if (known) return known
    const made: Partition = { items: new Map(), keys: [] }
    partitions.set(pk, made)
    return made
  }
  const store = ({ pk, sk }: ItemKey, attributes: Item): void => {
    const { items, keys } = partitionOf(pk)
    if (!items.has(sk)) keys.splice(placeOf(keys, sk), 0, sk)
    // As JSON, without what is undefined.
    items.set(sk, { ...JSON.parse(JSON.stringify(attributes)), pk, sk })
  }
  const find = ({ pk, sk }: ItemKey): Item | undefined => partitions.get(pk)?.items.get(sk)
  const holds = (key: ItemKey, when: Parameters<ItemTable['put']>[2]): boolean => {
    const item = find(key)
    if (when === undefined) return true
    if (when === 'absent') return item === undefined
    return Object.entries(when).every(([name, value]) => item?.[name] === value)
  }

  return {
    get: async key => {
      const item = find(key)
      return item && { ...item }
    },
    getMany: async keys => keys.map(find).filter(item => item !== undefined),
    put: async (key, attributes, when) => {
      if (!holds(key, when)) return false
      store(key, attributes)
      return true
    },
    swap: async (key, attributes, when) => {
      if (!holds(key, when)) return undefined
      const before = find(key) ?? {}
      const { items, keys } = partitionOf(key.pk)
      if (attributes) store(key, attributes)
      else if (items.delete(key.sk)) keys.splice(placeOf(keys, key.sk), 1)
      return before
    },
    update: async (key, change, when) => {
      if (!holds(key, when)) return undefined
      store(key, changed(find(key) ?? {}, change))
      return find(key)
    },
    putAll: async all => {
      for (const item of all) store(item, item)
    },
    delete: async (key, when) => {
      if (!holds(key, when)) return false
      const { items, keys } = partitionOf(key.pk)
      if (items.delete(key.sk)) keys.splice(placeOf(keys, key.sk), 1)
      return true
    },
    query: async function* (pk, { from, to, newestFirst = false, attributes }) {
      const { items, keys } = partitionOf(pk)
      let place = newestFirst ? placeOf(keys, `${to}\0`) - 1 : placeOf(keys, from)
      for (let sk = keys[place]; sk !== undefined && sk >= from && sk <= to; sk = keys[place]) {
        const item = items.get(sk)
        if (item)
          yield attributes ? Object.fromEntries(attributes.map(name => [name, item[name]])) : { ...item }
        // Found anew: others may have written meanwhile.
        place = newestFirst ? placeOf(keys, sk) - 1 : placeOf(keys, `${sk}\0`)
      }
    },
  }
}

/** An item after an update. */
export const changed = (item: Item, { add = {}, set = {}, remove = [] }: ItemChange): Item => {
  const sums = Object.entries(add).map(([name, more]) => [name, Number(item[name] ?? 0) + more])
  const next = { ...item, ...Object.fromEntries(sums), ...set }
  return Object.fromEntries(Object.entries(next).filter(([name]) => !remove.includes(name)))
}

/** Where a key is in a sorted list, or belongs. */
const placeOf = (keys: readonly string[], key: string): number => {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}
