import * as z from 'zod/mini'
import {
  type Conditions,
  createDynamoDbRequest,
  type Document,
  type Documents,
  fromAttributes,
  type Place,
  storedAttributes,
  toAttributes,
  withStored,
} from './dynamodb-request.ts'
import type { ServiceSettings } from './signed-json.ts'

/** Resolves to the attributes that were there, if it asks for them. */
type PutRequest = { TableName: string; Item: Document; ReturnValues?: 'ALL_OLD' } & Conditions

interface Query {
  TableName: string
  KeyConditionExpression: string
  ExpressionAttributeValues: Document
  ProjectionExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ScanIndexForward: boolean
  ConsistentRead: true
  Limit?: number | undefined
  ExclusiveStartKey?: Document | undefined
}

/** One request of DynamoDB each, with the fields of its API Reference. An `undefined` attribute is absent. */
export interface TableRequests {
  get(request: Place & { ConsistentRead: true }): Promise<Document | undefined>
  put(request: PutRequest): Promise<Document | undefined>
  /** Resolves to the attributes that were there, if it asks for them. */
  delete(request: Place & { ReturnValues?: 'ALL_OLD' } & Conditions): Promise<Document | undefined>
  /** Resolves to the attributes that are there then. */
  update(
    request: Place & { UpdateExpression: string; ReturnValues: 'ALL_NEW' } & Conditions,
  ): Promise<Document | undefined>
  query(request: Query): Promise<{ Items: Document[]; LastEvaluatedKey: Document | undefined }>
  /** Consistent. `left` are the keys that the reply left out. */
  getBatch(tableName: string, keys: readonly Document[]): Promise<{ found: Document[]; left: Document[] }>
  /** Resolves to the items that the reply left out. */
  putBatch(tableName: string, items: readonly Document[]): Promise<Document[]>
}

const attributes = z.optional(storedAttributes)
const itemReply = z.object({ Item: attributes, Attributes: attributes })
const queryReply = z.object({
  Items: z._default(z.array(storedAttributes), []),
  LastEvaluatedKey: z.optional(storedAttributes),
})
const byTable = <Value extends z.core.$ZodType>(value: Value) => z._default(z.record(z.string(), value), {})
const getBatchReply = z.object({
  Responses: byTable(z.array(storedAttributes)),
  UnprocessedKeys: byTable(z.object({ Keys: z.array(storedAttributes) })),
})
const putBatchReply = z.object({
  UnprocessedItems: byTable(z.array(z.object({ PutRequest: z.object({ Item: storedAttributes }) }))),
})

/** Signed requests, without the SDK's client. Default settings: those of the environment. */
export const createTableRequests = (settings?: ServiceSettings): TableRequests => {
  const request = createDynamoDbRequest(settings)
  const ofItem = async (operation: string, fields: Documents): Promise<Document | undefined> => {
    const { Item, Attributes } = itemReply.parse(await request(operation, withStored(fields)))
    const found = Item ?? Attributes
    return found && fromAttributes(found)
  }
  return {
    get: fields => ofItem('GetItem', fields),
    put: fields => ofItem('PutItem', fields),
    update: fields => ofItem('UpdateItem', fields),
    delete: fields => ofItem('DeleteItem', fields),
    query: async fields => {
      const { Items, LastEvaluatedKey } = queryReply.parse(await request('Query', withStored(fields)))
      return {
        Items: Items.map(fromAttributes),
        LastEvaluatedKey: LastEvaluatedKey && fromAttributes(LastEvaluatedKey),
      }
    },
    getBatch: async (tableName, keys) => {
      const RequestItems = { [tableName]: { Keys: keys.map(toAttributes), ConsistentRead: true } }
      const { Responses, UnprocessedKeys } = getBatchReply.parse(
        await request('BatchGetItem', { RequestItems }),
      )
      return {
        found: (Responses[tableName] ?? []).map(fromAttributes),
        left: (UnprocessedKeys[tableName]?.Keys ?? []).map(fromAttributes),
      }
    },
    putBatch: async (tableName, items) => {
      const RequestItems = { [tableName]: items.map(Item => ({ PutRequest: { Item: toAttributes(Item) } })) }
      const { UnprocessedItems } = putBatchReply.parse(await request('BatchWriteItem', { RequestItems }))
      return (UnprocessedItems[tableName] ?? []).map(({ PutRequest }) => fromAttributes(PutRequest.Item))
    },
  }
}
