import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateScan,
  ResourceNotFoundException,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb'
import pMap from 'p-map'
import { TransientError, UserError } from '../../functions/lib/errors/errors.ts'
import { pauseRandomly } from '../../functions/lib/pause-randomly.ts'

export type StoredItem = Record<string, AttributeValue>

interface Copy {
  readonly from: string
  readonly to: string
}

/** API Reference, "BatchWriteItem". */
const WRITES_IN_BATCH = 25
const BATCHES_AT_ONCE = 8
const ATTEMPTS = 10
const PAUSES_MS = { first: 50, longest: 10_000 }

/** All items of a table, in pages. Error: `cli.usage` when there is no such table. */
export async function* pagesOf(
  client: DynamoDBClient,
  TableName: string,
  names?: readonly string[],
): AsyncGenerator<StoredItem[]> {
  const projection = names && {
    ProjectionExpression: names.map((_, index) => `#${index}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, index) => [`#${index}`, name])),
  }
  try {
    for await (const { Items = [] } of paginateScan(
      { client },
      { TableName, ConsistentRead: true, ...projection },
    ))
      yield Items
  } catch (cause) {
    if (!(cause instanceof ResourceNotFoundException)) throw cause
    throw new UserError('cli.usage', `There is no table ${TableName} in this account and region.`, { cause })
  }
}

const KEY = ['pk', 'sk'] as const

const keyOf = ({ pk, sk }: StoredItem): string => JSON.stringify([pk?.S, sk?.S])

const keysOf = async (client: DynamoDBClient, table: string): Promise<Map<string, StoredItem>> => {
  const keys = new Map<string, StoredItem>()
  for await (const page of pagesOf(client, table, KEY)) for (const key of page) keys.set(keyOf(key), key)
  return keys
}

/** How many items a copy would write, and how many it would delete. */
export const compareItems = async (
  client: DynamoDBClient,
  { from, to }: Copy,
): Promise<{ written: number; deleted: number }> => {
  const [wanted, present] = await Promise.all([keysOf(client, from), keysOf(client, to)])
  const deleted = [...present.keys()].filter(key => !wanted.has(key)).length
  return { written: wanted.size, deleted }
}

/** Makes the items of one table those of another. One that is cut off may be repeated. */
export const copyItems = async (client: DynamoDBClient, { from, to }: Copy): Promise<void> => {
  const needless = await keysOf(client, to)
  for await (const page of pagesOf(client, from)) {
    for (const item of page) needless.delete(keyOf(item))
    await writeAll(
      client,
      to,
      page.map(Item => ({ PutRequest: { Item } })),
    )
  }
  await writeAll(
    client,
    to,
    [...needless.values()].map(Key => ({ DeleteRequest: { Key } })),
  )
}

const writeAll = async (
  client: DynamoDBClient,
  table: string,
  writes: readonly WriteRequest[],
): Promise<void> => {
  const batches = Array.from({ length: Math.ceil(writes.length / WRITES_IN_BATCH) }, (_, index) =>
    writes.slice(index * WRITES_IN_BATCH, (index + 1) * WRITES_IN_BATCH),
  )
  await pMap(batches, batch => writeBatch(client, table, batch), { concurrency: BATCHES_AT_ONCE })
}

/** What the reply leaves out was too much at once. */
const writeBatch = async (
  client: DynamoDBClient,
  table: string,
  batch: readonly WriteRequest[],
): Promise<void> => {
  let left = [...batch]
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { UnprocessedItems = {} } = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [table]: left } }),
    )
    left = UnprocessedItems[table] ?? []
    if (left.length === 0) return
    await pauseRandomly(attempt, PAUSES_MS)
  }
  throw new TransientError(
    'storage.unavailable',
    `DynamoDB takes no more items of ${table} now. Run the command again.`,
  )
}
