import type { ItemStore } from './item-table.ts'

/** The items of a table, by its name. */
export type Items = (tableName: string) => ItemStore

const HOST_ITEMS = Symbol.for('millrace.items')
const host = globalThis as { [HOST_ITEMS]?: Items }

/** How a thread reaches the items that its host keeps. In Lambda there is no such host, and they are in DynamoDB. */
export const itemsOfHost = (): Items | undefined => host[HOST_ITEMS]

export const giveItems = (items: Items): void => {
  host[HOST_ITEMS] = items
}
