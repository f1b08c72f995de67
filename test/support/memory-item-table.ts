import { setImmediate as otherWork } from 'node:timers/promises'
import { createItemTable, type ItemStore, type ItemTable } from '#lib/items/item-table.ts'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { ItemDatabase } from '#local/items/item-database.ts'

const database = ItemDatabase.inMemory(new DurableFiles({ durability: 'relaxed' }))
let tables = 0

/** An item table of one test: that of one machine, in memory. Other work comes between any two calls. */
export const createMemoryItemTable = (): ItemTable => createItemTable(createMemoryItems())

export const createMemoryItems = (): ItemStore => {
  tables++
  const { get, getMany, page, ...writes } = database.table(`table ${tables}`)
  return {
    ...writes,
    get: key => otherWork().then(() => get(key)),
    getMany: keys => otherWork().then(() => getMany(keys)),
    page: (pk, range, after) => otherWork().then(() => page(pk, range, after)),
  }
}
