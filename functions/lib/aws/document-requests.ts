import * as z from 'zod/mini'
import {
  type Conditions,
  createDynamoDbRequest,
  type Document,
  type Documents,
  fromAttributes,
  type Place,
  storedAttributes,
  withStored,
} from './dynamodb-request.ts'
import type { ServiceSettings } from './signed-json.ts'

/** The operations of DynamoDB on one item, as the API Reference names their fields. An `undefined` attribute is absent. */
export interface DocumentRequests {
  get(request: Place & { ConsistentRead: true }): Promise<Document | undefined>
  put(request: { TableName: string; Item: Document } & Conditions): Promise<void>
  /** Resolves to the attributes that `ReturnValues` asks for. */
  update(
    request: Place & { UpdateExpression: string; ReturnValues?: 'ALL_NEW' } & Conditions,
  ): Promise<Document | undefined>
}

const attributes = z.optional(storedAttributes)
const reply = z.object({ Item: attributes, Attributes: attributes })

/** For functions that read and write single items: signed requests, without the SDK's client. */
export const createDocumentRequests = (settings?: ServiceSettings): DocumentRequests => {
  const request = createDynamoDbRequest(settings)
  const send = async (operation: string, fields: Documents) =>
    reply.parse(await request(operation, withStored(fields)))
  return {
    get: async fields => {
      const { Item } = await send('GetItem', fields)
      return Item && fromAttributes(Item)
    },
    put: async fields => {
      await send('PutItem', fields)
    },
    update: async fields => {
      const { Attributes } = await send('UpdateItem', fields)
      return Attributes && fromAttributes(Attributes)
    },
  }
}
