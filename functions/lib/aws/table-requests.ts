import * as z from 'zod/mini'
import { createDocumentRequests, type DocumentRequests, type PutRequest } from './document-requests.ts'
import {
  type Conditions,
  createDynamoDbRequest,
  type Document,
  fromAttributes,
  type Place,
  storedAttributes,
  toAttributes,
  withStored,
} from './dynamodb-request.ts'
import type { ServiceSettings } from './signed-json.ts'

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
  update: DocumentRequests['update']
  query(request: Query): Promise<{ Items: Document[]; LastEvaluatedKey: Document | undefined }>
  /** Consistent. `left` are the keys that the reply left out. */
  getBatch(tableName: string, keys: readonly Document[]): Promise<{ found: Document[]; left: Document[] }>
  /** Resolves to the items that the reply left out. */
  putBatch(tableName: string, items: readonly Document[]): Promise<Document[]>
}

const deleteReply = z.object({ Attributes: z.optional(storedAttributes) })
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
  const { get, put, update } = createDocumentRequests(settings)
  const request = createDynamoDbRequest(settings)
  return {
    get,
    put,
    update,
    delete: async fields => {
      const { Attributes } = deleteReply.parse(await request('DeleteItem', withStored(fields)))
      return Attributes && fromAttributes(Attributes)
    },
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
