import { createDocumentClient, dynamoDbItems, type KeyOf } from '../items/dynamodb-items.ts'
import { createItemTable, type ItemTable } from '../items/item-table.ts'
import { host } from './host.ts'

/** A table of items: in DynamoDB, or where the function's host keeps them. Opened once per container. */
export const openItemTable = (tableName: string, keyOf?: KeyOf): ItemTable => {
  const { items: ofHost } = host()
  return createItemTable(ofHost ? ofHost(tableName) : dynamoDbItems(tableName, createDocumentClient(), keyOf))
}
