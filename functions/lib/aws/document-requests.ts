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

/** Resolves to the attributes that were there, if it asks for them. */
export type PutRequest = { TableName: string; Item: Document; ReturnValues?: 'ALL_OLD' } & Conditions

/** The operations of DynamoDB on one item, as the API Reference names their fields. An `undefined` attribute is absent. */
export interface DocumentRequests {
  get(request: Place & { ConsistentRead: true }): Promise<Document | undefined>
  put(request: PutRequest): Promise<Document | undefined>
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
  const send = async (operation: string, fields: Documents) => {
    const { Item, Attributes } = reply.parse(await request(operation, withStored(fields)))
    const found = Item ?? Attributes
    return found && fromAttributes(found)
  }
  return {
    get: fields => send('GetItem', fields),
    put: fields => send('PutItem', fields),
    update: fields => send('UpdateItem', fields),
  }
}
