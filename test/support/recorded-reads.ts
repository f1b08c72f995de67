import type { ItemKey, ItemTable } from '#lib/items/item-table.ts'

const partitionOf = ({ pk }: ItemKey): string => pk

/** Notes what is read: partitions, and items by these names. */
export const recordReads = (items: ItemTable, read: string[], nameOf = partitionOf): ItemTable => ({
  ...items,
  get: key => {
    read.push(nameOf(key))
    return items.get(key)
  },
  getMany: keys => {
    read.push(...keys.map(partitionOf))
    return items.getMany(keys)
  },
  query: (pk, range) => {
    read.push(pk)
    return items.query(pk, range)
  },
})
