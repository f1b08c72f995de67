import { createItemTable, type ItemTable } from '#lib/storage/db/item-table.ts'
import { startItemDatabase } from './item-database.ts'
import { createMemoryItemTable } from './memory-item-table.ts'
import { otherImplementation } from './other-implementation.ts'

/** An empty item table of one test file: in memory, or in the DynamoDB at `MILLRACE_TEST_DYNAMODB`. */
export const startItemTable = async (): Promise<{ items: ItemTable; close: () => Promise<void> }> => {
  if (!otherImplementation('MILLRACE_TEST_DYNAMODB'))
    return { items: createMemoryItemTable(), close: async () => {} }
  const { requests, tableName, close } = await startItemDatabase()
  return { items: createItemTable(requests, tableName), close }
}
