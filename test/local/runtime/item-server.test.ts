import { rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, expect, it } from 'vitest'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { createTables } from '#local/runtime/items/create-tables.ts'
import { createDynalite } from '#local/runtime/items/dynalite.ts'
import { startItemServer } from '#local/runtime/items/item-server.ts'
import { ItemStore } from '#local/runtime/items/item-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const properties = {
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' as const }],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }],
  BillingMode: 'PAY_PER_REQUEST' as const,
}

/** The partition keys of each call, as rights are told them. */
const told: (readonly string[])[] = []

const start = (name: string) =>
  startItemServer({
    folder: join(folder.path, name),
    files: new DurableFiles(),
    authenticate: () => ({ roleArn: undefined }),
    isAllowed: (_caller, _action, _resource, context) => {
      told.push(context['dynamodb:leadingkeys'])
      return true
    },
  })

const open = async (name: string) => {
  const server = await start(name)
  const credentials = { accessKeyId: 'test', secretAccessKey: 'secret' }
  const client = new DynamoDBClient({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials,
    maxAttempts: 1,
  })
  return {
    client,
    request: server.request,
    close: async () => {
      client.destroy()
      await server.close()
    },
  }
}

it('can be written to as soon as its tables are made', async () => {
  const { client, request, close } = await open('fresh')
  try {
    await createTables(request, [{ name: 'things', properties }])
    await client.send(new PutItemCommand({ TableName: 'things', Item: { id: { S: '1' } } }))
    const { Item } = await client.send(new GetItemCommand({ TableName: 'things', Key: { id: { S: '1' } } }))
    expect(Item).toEqual({ id: { S: '1' } })
  } finally {
    await close()
  }
})

it('forgets a table whose making was cut off, so that it is made again', async () => {
  const path = join(folder.path, 'unfinished')
  const { store, close: closeStore } = createDynalite(path)
  await ItemStore.open(store, path, new DurableFiles())
  await new Promise(resolve =>
    store.db.put('table~things', { TableName: 'things', TableStatus: 'CREATING' }, resolve),
  )
  await closeStore()

  const { client, request, close } = await open('unfinished')
  try {
    expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([])
    await createTables(request, [{ name: 'things', properties }])
    await client.send(new PutItemCommand({ TableName: 'things', Item: { id: { S: '1' } } }))
  } finally {
    await close()
  }
})

it.each([
  ['its file CURRENT is empty', (path: string) => writeFileSync(join(path, 'CURRENT'), '')],
  ['its file CURRENT is gone', (path: string) => rmSync(join(path, 'CURRENT'))],
])('refuses a damaged store with a sentence, and leaves it as it is: %s', async (what, damage) => {
  const { client, close } = await open(what)
  await client.send(new CreateTableCommand({ TableName: 'things', ...properties }))
  await close()
  const path = join(folder.path, what)
  damage(path)
  const before = await readdir(path)
  await expect(open(what)).rejects.toThrow(/The item store .* is damaged .* Restore the data directory/)
  expect((await readdir(path)).filter(name => before.includes(name))).toEqual(before)
})

it.each([
  ['an operation that is not known', 'DynamoDB_20120810.ExecuteStatement', '{}', 'UnknownOperationException'],
  ['another API', 'DynamoDB_20111205.GetItem', '{}', 'UnknownOperationException'],
  ['no operation', undefined, '{}', 'UnknownOperationException'],
  ['a body that is not JSON', 'DynamoDB_20120810.GetItem', '{"TableName"', 'SerializationException'],
  ['a body that is no object', 'DynamoDB_20120810.GetItem', '[1]', 'SerializationException'],
  ['a field of the wrong type', 'DynamoDB_20120810.GetItem', '{"Key":7}', 'SerializationException'],
  ['a missing field', 'DynamoDB_20120810.GetItem', '{}', 'ValidationException'],
  [
    'a table that is not there',
    'DynamoDB_20120810.DescribeTable',
    '{"TableName":"none"}',
    'ResourceNotFoundException',
  ],
])('answers %s with DynamoDB’s error', async (what, target, body, error) => {
  const server = await start(what)
  try {
    const headers = target === undefined ? {} : { 'x-amz-target': target }
    const response = await fetch(server.endpoint, { method: 'POST', body, headers })
    const reply = await response.json()
    expect([response.status, reply]).toEqual([
      400,
      expect.objectContaining({ __type: expect.stringMatching(error) }),
    ])
  } finally {
    await server.close()
  }
})

it('tells rights the partition keys of the items that a call names or writes', async () => {
  const { client, request, close } = await open('keys')
  try {
    await createTables(request, [{ name: 'things', properties }])
    const id = (S: string) => ({ id: { S }, other: { S: 'x' } })
    told.length = 0
    await client.send(new PutItemCommand({ TableName: 'things', Item: id('1') }))
    await client.send(
      new BatchWriteItemCommand({
        RequestItems: {
          things: [{ PutRequest: { Item: id('2') } }, { DeleteRequest: { Key: { id: { S: '1' } } } }],
        },
      }),
    )
    await client.send(new ListTablesCommand())
    expect(told).toEqual([['1'], ['2', '1'], []])
  } finally {
    await close()
  }
})
