import pMap from 'p-map'
import { isConditionFailure } from '../../aws/dynamodb-request.ts'
import type { TableRequests } from '../../aws/table-requests.ts'
import { TransientError, UserError } from '../../errors/errors.ts'
import { pauseRandomly } from '../../pause-randomly.ts'

/** Attribute (epoch seconds) after which DynamoDB may drop an item, some days late. Nothing relies on it. */
export const itemExpiryName = 'expiresAt'

export interface ItemKey {
  pk: string
  sk: string
}

export type Item = Record<string, unknown>

/** What an item must be like for a write: these attributes have these values; `undefined`: there is none of that name. */
export type AttributeCondition = Record<string, string | number | undefined>

/** Condition of a write: the stored item is absent, or its attributes are so. */
export type Condition = 'absent' | AttributeCondition

export interface ItemChange {
  /** To numbers. */
  add?: Readonly<Record<string, number>>
  set?: Readonly<Record<string, unknown>>
  remove?: readonly string[]
}

interface ItemRange {
  /** Inclusive bounds of the sort key. */
  from: string
  to: string
  newestFirst?: boolean
  /**
   * Items of the first request to DynamoDB, for readers that stop early. Each further one asks for twice as many, for those
   * that do not. Default: as many as fit 1 MB.
   */
  pageSize?: number
  /** Read only these attributes. Default: all. */
  attributes?: readonly string[]
}

// DynamoDB: an item is at most 400 KB with its attribute names (Developer Guide, "Item size"). The length as JSON is a
// good estimate: it lets us refuse with a clear message what DynamoDB would refuse with a poor one.
const MAX_ITEM_BYTES = 380_000

/** About what fits 1 MB, which is the most that a reply holds (API Reference, "Query"). */
const MAX_PAGE_SIZE = 1000

// DynamoDB API Reference, "BatchGetItem".
const KEYS_IN_BATCH = 100
const BATCHES_AT_ONCE = 4

// DynamoDB API Reference, "BatchWriteItem".
const WRITES_IN_BATCH = 25
const FRUITLESS_ATTEMPTS = 8
const BATCH_PAUSES_MS = { first: 40, longest: 2560 }

/**
 * The few operations that the stores need. Reads are consistent, and a write changes one item on one condition. The
 * service relies on nothing else: there are no transactions and no indexes.
 */
export const createItemTable = (
  requests: TableRequests,
  tableName: string,
  /** A key as the table names its parts. */
  keyOf: (key: ItemKey) => Item = key => ({ ...key }),
) => ({
  get: (key: ItemKey): Promise<Item | undefined> =>
    requests.get({ TableName: tableName, Key: keyOf(key), ConsistentRead: true }),

  /** The items that exist under these keys, in any order. No key may be given twice. */
  async getMany(keys: readonly ItemKey[]): Promise<Item[]> {
    const found: Item[] = []
    const wantedKeys = keys.map(keyOf)
    await inBatches(wantedKeys, KEYS_IN_BATCH, async wanted => {
      const batch = await requests.getBatch(tableName, wanted)
      found.push(...batch.found)
      return batch.left
    })
    return found
  },

  /** Resolves to false when the condition does not hold. */
  async put(key: ItemKey, attributes: Item, when?: Condition): Promise<boolean> {
    refuseOversized(attributes)
    const write = requests.put({
      TableName: tableName,
      Item: { ...attributes, ...keyOf(key) },
      ...(when && conditionExpression(when)),
    })
    return conditionHolds(write)
  },

  /**
   * Stores items without a condition, in few requests: for copies of what is stored elsewhere. No key may be given
   * twice. Rejects when some are refused again and again; others may be stored then.
   */
  async putAll(all: readonly (ItemKey & Item)[]): Promise<void> {
    for (const item of all) refuseOversized(item)
    await inBatches(all, WRITES_IN_BATCH, batch => requests.putBatch(tableName, batch))
  },

  /** Resolves to false when the condition does not hold. */
  async delete(key: ItemKey, when?: Condition): Promise<boolean> {
    const write = requests.delete({
      TableName: tableName,
      Key: keyOf(key),
      ...(when && conditionExpression(when)),
    })
    return conditionHolds(write)
  },

  /**
   * As `put`, or as `delete` without attributes, and resolves to what was there: `{}` when nothing was. Resolves to `undefined`
   * when the condition does not hold.
   */
  async swap(key: ItemKey, attributes: Item | undefined, when?: Condition): Promise<Item | undefined> {
    if (attributes) refuseOversized(attributes)
    const request = {
      TableName: tableName,
      ReturnValues: 'ALL_OLD' as const,
      ...(when && conditionExpression(when)),
    }
    const swapped = attributes
      ? requests.put({ ...request, Item: { ...attributes, ...keyOf(key) } })
      : requests.delete({ ...request, Key: keyOf(key) })
    let before: Item | undefined
    const holds = await conditionHolds(swapped.then(found => (before = found)))
    return holds ? (before ?? {}) : undefined
  },

  /**
   * Changes some attributes of an item, in one write. What is absent counts as 0. Resolves to the item as it is then, or to
   * `undefined` when the condition does not hold.
   */
  async update(key: ItemKey, change: ItemChange, when?: AttributeCondition): Promise<Item | undefined> {
    const write = requests.update({
      TableName: tableName,
      Key: keyOf(key),
      ReturnValues: 'ALL_NEW',
      ...updateExpression(change, when),
    })
    let after: Item | undefined
    await conditionHolds(write.then(found => (after = found)))
    return after
  },

  /** The items of one partition whose sort key is in the range, in its order. */
  async *query(
    pk: string,
    { from, to, newestFirst = false, pageSize, attributes }: ItemRange,
  ): AsyncGenerator<Item> {
    const request = {
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk and sk between :from and :to',
      ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
      ScanIndexForward: !newestFirst,
      ConsistentRead: true as const,
      ...(attributes && projection(attributes)),
    }
    let Limit = pageSize
    let ExclusiveStartKey: Item | undefined
    do {
      const page = await requests.query({ ...request, Limit, ExclusiveStartKey })
      yield* page.Items
      ExclusiveStartKey = page.LastEvaluatedKey
      Limit = Limit && Math.min(2 * Limit, MAX_PAGE_SIZE)
    } while (ExclusiveStartKey)
  },
})

export type ItemTable = ReturnType<typeof createItemTable>

/** What stores need that read and write single items: buckets and tables, which a branch sees in its own way. */
export type ItemView = Pick<ItemTable, 'get' | 'put' | 'delete' | 'query'>

/** Sends everything in batches. `send` resolves to what the reply left out: it was too much, or the table is busy. */
const inBatches = async (
  all: readonly Item[],
  size: number,
  send: (batch: readonly Item[]) => Promise<Item[]>,
): Promise<void> => {
  const starts = Array.from({ length: Math.ceil(all.length / size) }, (_, index) => index * size)
  const sendBatch = async (start: number): Promise<void> => {
    let left: readonly Item[] = all.slice(start, start + size)
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

/** Every sort key that begins with the prefix. */
export const startingWith = (prefix: string): ItemRange => ({
  from: prefix || ' ',
  to: `${prefix}\u{10ffff}`,
})

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
  const withValue = (operator: '' | '= ', [name, value]: [string, unknown]): string => {
    const place = nameOf(name)
    const valuePlace = place.replace('#a', ':v')
    values[valuePlace] = value
    return `${place} ${operator}${valuePlace}`
  }
  const equals = (when: AttributeCondition): string[] =>
    Object.entries(when).map(([name, value]) =>
      value === undefined ? `attribute_not_exists(${nameOf(name)})` : withValue('= ', [name, value]),
    )
  return { names, values, nameOf, withValue, equals }
}

const attributesOf = (names: Record<string, string>, values: Item) => ({
  ExpressionAttributeNames: names,
  ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
})

const updateExpression = ({ add = {}, set = {}, remove = [] }: ItemChange, when: AttributeCondition = {}) => {
  const { names, values, nameOf, withValue, equals } = createPlaces()
  const clauses = {
    ADD: Object.entries(add).map(entry => withValue('', entry)),
    SET: Object.entries(set).map(entry => withValue('= ', entry)),
    REMOVE: remove.map(nameOf),
  }
  const conditions = equals(when)
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
  if (when === 'absent') return { ConditionExpression: 'attribute_not_exists(pk)' }
  const { UpdateExpression: _, ...condition } = updateExpression({}, when)
  return condition
}

const conditionHolds = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write
    return true
  } catch (error) {
    if (isConditionFailure(error)) return false
    throw error
  }
}

/** Refuses what no item can hold (`storage.requestTooLarge`). */
export const refuseOversized = (attributes: Item): void => {
  const bytes = Buffer.byteLength(JSON.stringify(attributes))
  if (bytes > MAX_ITEM_BYTES)
    throw new UserError(
      'storage.requestTooLarge',
      `The request holds ${bytes} bytes of settings; at most ${MAX_ITEM_BYTES} are kept.`,
    )
}

const DAY_SECONDS = 86_400

/** What an item gets that counts for so many days from now on. */
export const expiringIn = (days: number, now: Date): { [itemExpiryName]: number } => ({
  [itemExpiryName]: secondsOf(now) + Math.round(days * DAY_SECONDS),
})

/** Whether an item does not count any more. It may stay in the table for days: DynamoDB deletes in its own time. */
export const isExpired = (item: Item, now: Date): boolean => {
  const expiry = item[itemExpiryName]
  return typeof expiry === 'number' && expiry <= secondsOf(now)
}

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)
