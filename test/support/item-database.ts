import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb'
import { createTableRequests } from '#lib/aws/table-requests.ts'
import { otherImplementation } from './other-implementation.ts'

// The package has no types; these are the parts used here.
const dynalite: (options: { createTableMs: number }) => Server = createRequire(import.meta.url)('dynalite')

/**
 * A DynamoDB with one empty table of the keys `pk` and `sk`, whose name nobody else has: in this process, in memory, or the
 * one at `MILLRACE_TEST_DYNAMODB` (docs/testing.md, "Other implementations"), from which the table goes in the end.
 */
export const startItemDatabase = async () => startDatabase(otherImplementation('MILLRACE_TEST_DYNAMODB'))

/** The one in this process, wherever the others are. */
export const startEmbeddedItemDatabase = () => startDatabase(undefined)

const startDatabase = async (other: ReturnType<typeof otherImplementation>) => {
  const tableName = `millrace-test-${randomBytes(4).toString('hex')}`
  const database = other ?? (await startDynalite())
  const client = new DynamoDBClient({ ...database.settings })
  await createTable(client, tableName)

  return {
    endpoint: database.settings.endpoint,
    tableName,
    requests: createTableRequests({
      ...database.settings,
      credentials: await client.config.credentials(),
    }),
    async close(): Promise<void> {
      if (other) {
        await client.send(new DeleteTableCommand({ TableName: tableName }))
        await waitUntilTableNotExists({ client, ...wait }, { TableName: tableName })
      }
      client.destroy()
      await database.close()
    },
  }
}

const startDynalite = async () => {
  const server = dynalite({ createTableMs: 0 })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has an address of this kind.
  const { port } = server.address() as AddressInfo
  return {
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test-secret' },
    },
    close: async () => {
      await new Promise(resolve => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}

/** Seconds. A table of dynalite is there after some milliseconds, but not at once. */
const wait = { maxWaitTime: 60, minDelay: 0.01, maxDelay: 1 }

const createTable = async (client: DynamoDBClient, tableName: string): Promise<void> => {
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
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
  await waitUntilTableExists({ client, ...wait }, { TableName: tableName })
}
