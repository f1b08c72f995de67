import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { createDocumentRequests } from '../../functions/lib/aws/document-requests.ts'
import { createImportRecords, type ImportRecords } from '../../functions/start-import/import-records.ts'
import { createPartNotes, type PartNotes } from '../../functions/start-import/part-notes.ts'

const tableName = 'imports'

// The package has no types; these are the parts used here.
const dynalite: (options: { createTableMs: number }) => Server = createRequire(import.meta.url)('dynalite')

/** The records of the import hook on a DynamoDB in this process. Default: every execution is running. */
export const startImportRecords = async ({
  now = () => new Date(),
  isRunning = async () => true,
}: {
  now?: () => Date
  isRunning?: (execution: string) => Promise<boolean>
} = {}): Promise<
  ImportRecords & {
    notes: PartNotes
    documents: DynamoDBDocumentClient
    tableName: string
    close: () => Promise<void>
  }
> => {
  const database = dynalite({ createTableMs: 0 })
  await new Promise<void>(resolve => database.listen(0, '127.0.0.1', resolve))
  const { port } = database.address() as AddressInfo // It listens on a port.
  const settings = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  }
  const dynamo = new DynamoDBClient(settings)
  await dynamo.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  )
  const documents = DynamoDBDocumentClient.from(dynamo, { marshallOptions: { removeUndefinedValues: true } })
  const requests = createDocumentRequests(settings)
  return {
    ...createImportRecords({ dynamo: requests, tableName, isRunning, now }),
    notes: createPartNotes({ dynamo: requests, tableName, now }),
    documents,
    tableName,
    close: async () => {
      dynamo.destroy()
      await new Promise(resolve => {
        database.close(resolve)
        database.closeAllConnections()
      })
    },
  }
}
