import { randomBytes } from 'node:crypto'
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import { createDocumentClient, dynamoDbItems } from '#lib/items/dynamodb-items.ts'
import { createItemTable, type ItemStore, type ItemTable } from '#lib/items/item-table.ts'
import { createMemoryItems } from './memory-item-table.ts'
import { otherImplementation } from './other-implementation.ts'

interface StartedItems {
  store: ItemStore
  items: ItemTable
  close: () => Promise<void>
}

/** An empty item table of one test file: in memory, or in the DynamoDB at `MILLRACE_TEST_DYNAMODB`, from which it goes in the end. */
export const startItemTable = async (): Promise<StartedItems> => {
  const other = otherImplementation('MILLRACE_TEST_DYNAMODB')
  if (!other) return started(createMemoryItems(), async () => {})
  const client = new DynamoDBClient({ ...other.settings })
  const TableName = `millrace-test-${randomBytes(4).toString('hex')}`
  await createTable(client, TableName)
  return started(dynamoDbItems(TableName, createDocumentClient(client)), async () => {
    await client.send(new DeleteTableCommand({ TableName }))
    await waitUntilTableNotExists({ client, ...wait }, { TableName })
    client.destroy()
  })
}

const started = (store: ItemStore, close: () => Promise<void>): StartedItems => ({
  store,
  items: createItemTable(store),
  close,
})

/** Seconds. */
const wait = { maxWaitTime: 60, minDelay: 0.01, maxDelay: 1 }

const createTable = async (client: DynamoDBClient, TableName: string): Promise<void> => {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  )
  await waitUntilTableExists({ client, ...wait }, { TableName })
}
