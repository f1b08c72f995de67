import {
  type CancellationReason,
  DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import pMap from 'p-map'
import { TransientError } from '../errors/errors.ts'
import { pauseRandomly } from '../pause-randomly.ts'
import {
  type Condition,
  type Item,
  type ItemChange,
  type ItemKey,
  type ItemStore,
  type ItemWrite,
  itemExpiryName,
  secondsOf,
} from './item-table.ts'

// DynamoDB API Reference, "BatchGetItem" and "BatchWriteItem".
const KEYS_IN_BATCH = 100
const WRITES_IN_BATCH = 25
const BATCHES_AT_ONCE = 4
const FRUITLESS_ATTEMPTS = 8
const BATCH_PAUSES_MS = { first: 40, longest: 2560 }

/** @param client default: one of the function's environment */
export const createDocumentClient = (client = new DynamoDBClient({})): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, {
    // Without the second one a map with the name `constructor` is taken for an instance of a class, and refused.
    marshallOptions: { removeUndefinedValues: true, convertClassInstanceToMap: true },
  })

/** A key as the table names its parts. */
export type KeyOf = (key: ItemKey) => Item

/** A table of DynamoDB. */
export const dynamoDbItems = (
  TableName: string,
  client: Pick<DynamoDBDocumentClient, 'send'>,
  keyOf: KeyOf = ({ pk, sk }) => ({ pk, sk }),
): ItemStore => ({
  async get(key) {
    const { Item } = await client.send(new GetCommand({ TableName, Key: keyOf(key), ConsistentRead: true }))
    return Item
  },

  async getMany(keys) {
    const found: Item[] = []
    await inBatches(keys, KEYS_IN_BATCH, async wanted => {
      const Keys = wanted.map(keyOf)
      const { Responses, UnprocessedKeys } = await client.send(
        new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
      )
      found.push(...(Responses?.[TableName] ?? []))
      return (UnprocessedKeys?.[TableName]?.Keys ?? []) as ItemKey[] // as they were sent
    })
    return found
  },

  async swap(key, attributes, when) {
    const request = { TableName, ReturnValues: 'ALL_OLD' as const, ...(when && conditionExpression(when)) }
    return unlessRefused(async () => {
      const { Attributes = {} } = attributes
        ? await client.send(new PutCommand({ ...request, Item: asItem({ ...attributes, ...keyOf(key) }) }))
        : await client.send(new DeleteCommand({ ...request, Key: keyOf(key) }))
      return Attributes
    })
  },

  async putAll(all) {
    await inBatches(all, WRITES_IN_BATCH, async items => {
      const writes = items.map(item => ({ PutRequest: { Item: asItem(item) } }))
      const { UnprocessedItems } = await client.send(
        new BatchWriteCommand({ RequestItems: { [TableName]: writes } }),
      )
      const left = UnprocessedItems?.[TableName] ?? []
      return left.map(({ PutRequest }) => PutRequest?.Item as ItemKey & Item) // as they were sent
    })
  },

  update: (key, change, when) =>
    unlessRefused(async () => {
      const expression = updateExpression(change, when)
      const { Attributes } = await client.send(
        new UpdateCommand({ TableName, Key: keyOf(key), ReturnValues: 'ALL_NEW', ...expression }),
      )
      return Attributes
    }),

  async transact(writes, ClientRequestToken) {
    const TransactItems = writes.map(write => inTransaction(TableName, write, keyOf))
    try {
      await client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken }))
      return []
    } catch (error) {
      const reasons = reasonsOf(error)
      const refused = reasons.flatMap((reason, index) =>
        reason.Code === 'ConditionalCheckFailed' && writes[index]
          ? [{ key: writes[index].key, found: reason.Item && unmarshall(reason.Item) }]
          : [],
      )
      if (refused.length > 0) return refused
      throw reasons.some(({ Code = '' }) => PASSING.has(Code)) ? conflict(error) : error
    }
  },

  async page(pk, { from, to, newestFirst = false, pageSize, attributes }, after) {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk and sk between :from and :to',
        ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
        ScanIndexForward: !newestFirst,
        ConsistentRead: true,
        ...(attributes && projection(attributes)),
        ...(pageSize && { Limit: pageSize }),
        ...(after !== undefined && { ExclusiveStartKey: { pk, sk: after } }),
      }),
    )
    return { items: Items, after: LastEvaluatedKey?.['sk'] }
  },
})

/** Why a transaction was cancelled that can be done a moment later (API Reference, "TransactWriteItems"). */
const PASSING: ReadonlySet<string> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
])

const reasonsOf = (error: unknown): readonly CancellationReason[] =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : []

const conflict = (cause: unknown): Error =>
  Object.assign(new Error('Another request holds an item', { cause }), {
    name: 'TransactionConflictException',
  })

const inTransaction = (TableName: string, write: ItemWrite, keyOf: KeyOf) => {
  const { key, when } = write
  const given = { TableName, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const
  const condition = when && conditionExpression(when)
  switch (write.action) {
    case 'put':
      return { Put: { ...given, ...condition, Item: asItem({ ...write.item, ...keyOf(key) }) } }
    case 'update':
      return { Update: { ...given, Key: keyOf(key), ...updateExpression(write.change, when) } }
    case 'delete':
      return { Delete: { ...given, ...condition, Key: keyOf(key) } }
    case 'check':
      return { ConditionCheck: { ...given, ConditionExpression: '', ...condition, Key: keyOf(key) } }
  }
}

/** The package asks an object for its `constructor`, which may be a key of somebody's data; it asks a map for nothing. */
const asMap = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asMap)
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([key, each]) => [key, asMap(each)]))
}

const asItem = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, asMap(value)]))

/** Sends everything in batches. `send` resolves to what the reply left out: it was too much, or the table is busy. */
const inBatches = async <Entry>(
  all: readonly Entry[],
  size: number,
  send: (batch: readonly Entry[]) => Promise<Entry[]>,
): Promise<void> => {
  const starts = Array.from({ length: Math.ceil(all.length / size) }, (_, index) => index * size)
  const sendBatch = async (start: number): Promise<void> => {
    let left: readonly Entry[] = all.slice(start, start + size)
    for (let attempts = 0, fruitless = 0; left.length > 0; attempts++) {
      if (fruitless === FRUITLESS_ATTEMPTS)
        throw new TransientError('storage.busy', `${left.length} items could not be read or stored.`)
      if (attempts > 0) await pauseRandomly(attempts - 1, BATCH_PAUSES_MS)
      const leftOut = await send(left)
      fruitless = leftOut.length < left.length ? 0 : fruitless + 1
      left = leftOut
    }
  }
  await pMap(starts, sendBatch, { concurrency: BATCHES_AT_ONCE })
}

/** Resolves to `undefined` when the condition of a write does not hold. */
const unlessRefused = async <Result>(write: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await write()
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return undefined
    throw error
  }
}

const projection = (attributes: readonly string[]) => ({
  ProjectionExpression: attributes.map((_, index) => `#p${index}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(attributes.map((name, index) => [`#p${index}`, name])),
})

/** Names and values of an expression, under the places that stand for them there. */
const createPlaces = () => {
  const names: Record<string, string> = {}
  const values: Item = {}
  const nameOf = (name: string): string => {
    const place = `#a${Object.keys(names).length}`
    names[place] = name
    return place
  }
  const withValue = (operator: '' | '= ' | '<= ', [name, value]: [string, unknown]): string => {
    const place = nameOf(name)
    const valuePlace = place.replace('#a', ':v')
    values[valuePlace] = asMap(value)
    return `${place} ${operator}${valuePlace}`
  }
  const conditions = (when: Condition): string[] => {
    if (when === 'absent') return ['attribute_not_exists(pk)']
    if (when instanceof Date)
      return [`(attribute_not_exists(pk) or ${withValue('<= ', [itemExpiryName, secondsOf(when)])})`]
    return Object.entries(when).map(([name, value]) =>
      value === undefined ? `attribute_not_exists(${nameOf(name)})` : withValue('= ', [name, value]),
    )
  }
  return { names, values, nameOf, withValue, conditions }
}

const attributesOf = (names: Record<string, string>, values: Item) => ({
  ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
  ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
})

const updateExpression = ({ add = {}, set = {}, remove = [] }: ItemChange, when: Condition = {}) => {
  const { names, values, nameOf, withValue, conditions: conditionsOf } = createPlaces()
  const clauses = {
    ADD: Object.entries(add).map(entry => withValue('', entry)),
    SET: Object.entries(set).map(entry => withValue('= ', entry)),
    REMOVE: remove.map(nameOf),
  }
  const conditions = conditionsOf(when)
  return {
    ...(conditions.length > 0 && { ConditionExpression: conditions.join(' and ') }),
    UpdateExpression: Object.entries(clauses)
      .filter(([, changes]) => changes.length > 0)
      .map(([clause, changes]) => `${clause} ${changes.join(', ')}`)
      .join(' '),
    ...attributesOf(names, values),
  }
}

const conditionExpression = (when: Condition) => {
  const { names, values, conditions } = createPlaces()
  const ConditionExpression = conditions(when).join(' and ')
  return ConditionExpression === '' ? undefined : { ConditionExpression, ...attributesOf(names, values) }
}
