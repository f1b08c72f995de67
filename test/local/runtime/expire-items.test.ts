import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { createTables } from '#local/runtime/items/create-tables.ts'
import { expireItems } from '#local/runtime/items/expire-items.ts'
import { startItemServer } from '#local/runtime/items/item-server.ts'
import { temporaryFolder } from './temporary-folder.ts'

const now = new Date('2026-01-02T00:00:00Z')
const nowSeconds = now.getTime() / 1000
const properties = {
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' as const },
    { AttributeName: 'sk', AttributeType: 'S' as const },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' as const },
    { AttributeName: 'sk', KeyType: 'RANGE' as const },
  ],
  BillingMode: 'PAY_PER_REQUEST' as const,
}
const expiring = { ...properties, TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } }
const tables = [
  { name: 'expiring', properties: expiring },
  { name: 'lasting', properties },
]

const folder = temporaryFolder()
let server: Awaited<ReturnType<typeof startItemServer>>
let client: DynamoDBClient

beforeAll(async () => {
  server = await startItemServer({
    folder: folder.path,
    files: new DurableFiles(),
    authenticate: () => ({ roleArn: undefined }),
    isAllowed: () => true,
  })
  client = new DynamoDBClient({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'secret' },
    maxAttempts: 1,
  })
  await createTables(server.request, tables)
})

afterAll(async () => {
  client.destroy()
  await server.close()
  folder.remove()
})

const put = (TableName: string, sk: string, expiresAt?: number, text = '') =>
  client.send(
    new PutItemCommand({
      TableName,
      Item: {
        pk: { S: 'p' },
        sk: { S: sk },
        text: { S: text },
        ...(expiresAt !== undefined && { expiresAt: { N: String(expiresAt) } }),
      },
    }),
  )

const left = async (TableName: string): Promise<(string | undefined)[]> => {
  const { Items = [] } = await client.send(new ScanCommand({ TableName }))
  return Items.map(item => item['sk']?.S).toSorted()
}

it('deletes the items whose time to live is over, of tables that have one, over many pages', async () => {
  // Six items are more than a page of 1 MB.
  const large = 'x'.repeat(300_000)
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await put('expiring', name, nowSeconds - 1, large)
  await put('expiring', 'due', nowSeconds)
  await put('expiring', 'later', nowSeconds + 1)
  await put('expiring', 'never')
  await put('lasting', 'old', 1)

  const { signal } = new AbortController()
  expect(await expireItems(client, tables, { now, pauseMs: 0, signal })).toBe(7)
  expect(await left('expiring')).toEqual(['later', 'never'])
  expect(await left('lasting')).toEqual(['old'])
  expect(await expireItems(client, tables, { now, pauseMs: 0, signal })).toBe(0)
})

it('stops between two pages when it is closed', async () => {
  const closing = new AbortController()
  closing.abort()
  await expect(expireItems(client, tables, { now, pauseMs: 0, signal: closing.signal })).rejects.toThrow(
    'aborted',
  )
})
