import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb'

// The package has no types; these are the parts used here.
const dynalite: (options: { createTableMs: number }) => Server = createRequire(import.meta.url)('dynalite')

/** A DynamoDB in this process, whose tables have the key `id` alone, as that of the import hook. */
export const startDocumentDatabase = async () => {
  const server = dynalite({ createTableMs: 0 })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // It listens on a port.
  const settings = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  }
  const client = new DynamoDBClient(settings)
  return {
    settings,

    /** Resolves to its name. */
    async createTable(name: string): Promise<string> {
      await client.send(
        new CreateTableCommand({
          TableName: name,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        }),
      )
      // It is there after some milliseconds, but not at once.
      await waitUntilTableExists(
        { client, maxWaitTime: 60, minDelay: 0.01, maxDelay: 1 },
        { TableName: name },
      )
      return name
    },

    async close(): Promise<void> {
      client.destroy()
      await new Promise(resolve => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}
