import { marshall, type NativeAttributeValue, unmarshall } from '@aws-sdk/util-dynamodb'
import * as z from 'zod/mini'
import { createJsonRequest, type ServiceSettings } from './signed-json.ts'

type Document = Record<string, unknown>

interface Place {
  TableName: string
  Key: Document
}

interface Conditions {
  ConditionExpression?: string
  ExpressionAttributeValues?: Document
}

/** The operations of DynamoDB on one item, as the API Reference names their fields. An `undefined` attribute is absent. */
export interface DocumentRequests {
  get(request: Place & { ConsistentRead: true }): Promise<Document | undefined>
  put(request: { TableName: string; Item: Document } & Conditions): Promise<void>
  /** Resolves to the attributes that `ReturnValues` asks for. */
  update(
    request: Place & { UpdateExpression: string; ReturnValues?: 'ALL_NEW' } & Conditions,
  ): Promise<Document | undefined>
}

const DYNAMODB = {
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  jsonVersion: '1.0',
  endpointName: 'DYNAMODB',
} as const

const attributes = z.optional(z.record(z.string(), z.looseObject({})))
const reply = z.object({ Item: attributes, Attributes: attributes })

/** For functions that read and write single items: signed requests, without the SDK's client. */
export const createDocumentRequests = (settings?: ServiceSettings): DocumentRequests => {
  const request = createJsonRequest(DYNAMODB, settings)
  const send = async (operation: string, { Key, Item, ExpressionAttributeValues, ...fields }: Fields) => {
    const input = {
      ...fields,
      ...(Key && { Key: toAttributes(Key) }),
      ...(Item && { Item: toAttributes(Item) }),
      ...(ExpressionAttributeValues && {
        ExpressionAttributeValues: toAttributes(ExpressionAttributeValues),
      }),
    }
    return reply.parse(await request(operation, input))
  }
  return {
    get: async fields => fromAttributes((await send('GetItem', fields)).Item),
    put: async fields => {
      await send('PutItem', fields)
    },
    update: async fields => fromAttributes((await send('UpdateItem', fields)).Attributes),
  }
}

interface Fields extends Conditions {
  Key?: Document
  Item?: Document
}

const toAttributes = (document: Document) => marshall(document, { removeUndefinedValues: true })

const fromAttributes = (
  found: z.infer<typeof attributes>,
): Record<string, NativeAttributeValue> | undefined =>
  // The service answers with attribute values of its own form, which the package reads.
  found && unmarshall(found as unknown as Parameters<typeof unmarshall>[0])

/** Whether DynamoDB refused a write because its condition does not hold. */
export const isConditionFailure = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException'
