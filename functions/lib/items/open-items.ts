import { createDocumentClient, dynamoDbItems, type KeyOf } from './dynamodb-items.ts'
import { itemsOfHost } from './host-items.ts'
import { createItemTable, type ItemTable } from './item-table.ts'

/** A table of items: in DynamoDB, or where the function's host keeps them. Opened once per container. */
export const openItemTable = (tableName: string, keyOf?: KeyOf): ItemTable => {
  const ofHost = itemsOfHost()
  return createItemTable(ofHost ? ofHost(tableName) : dynamoDbItems(tableName, createDocumentClient(), keyOf))
}
