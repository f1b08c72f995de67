import { marshall, type NativeAttributeValue, unmarshall } from '@aws-sdk/util-dynamodb'
import * as z from 'zod/mini'
import { createJsonRequest, type JsonRequest, type ServiceSettings } from './signed-json.ts'

const DYNAMODB = {
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  jsonVersion: '1.0',
  endpointName: 'DYNAMODB',
} as const

/** Operations of DynamoDB as its API Reference has them, without the SDK's client. Items have no binary values. */
export const createDynamoDbRequest = (settings?: ServiceSettings): JsonRequest =>
  createJsonRequest(DYNAMODB, settings)

type StoredAttributes = Parameters<typeof unmarshall>[0]

/** An item in the service's own form, which the package reads. */
export const storedAttributes = z.custom<StoredAttributes>(
  value => typeof value === 'object' && value !== null,
)

/** The package asks an object for its `constructor`, which may be a key of somebody's data; it asks a map for nothing. */
const asMap = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(asMap)
  if (typeof value !== 'object' || value === null) return value
  return new Map(Object.entries(value).map(([key, each]) => [key, asMap(each)]))
}

/** An `undefined` attribute is absent. */
export const toAttributes = (document: Record<string, unknown>): StoredAttributes =>
  marshall(asMap(document) as Map<string, NativeAttributeValue>, { removeUndefinedValues: true }) // of an object

export const fromAttributes = (found: StoredAttributes): Record<string, NativeAttributeValue> =>
  unmarshall(found)

export type Document = Record<string, unknown>

export interface Place {
  TableName: string
  Key: Document
}

export interface Conditions {
  ConditionExpression?: string
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Document
}

/** The fields of a request that hold documents. */
export interface Documents {
  Key?: Document
  Item?: Document
  ExpressionAttributeValues?: Document
  ExclusiveStartKey?: Document | undefined
}

/** The fields of a request with their documents in the service's own form. */
export const withStored = ({
  Key,
  Item,
  ExpressionAttributeValues,
  ExclusiveStartKey,
  ...fields
}: Documents): object => ({
  ...fields,
  ...(Key && { Key: toAttributes(Key) }),
  ...(Item && { Item: toAttributes(Item) }),
  ...(ExpressionAttributeValues && { ExpressionAttributeValues: toAttributes(ExpressionAttributeValues) }),
  ...(ExclusiveStartKey && { ExclusiveStartKey: toAttributes(ExclusiveStartKey) }),
})

/** Whether DynamoDB refused a write because its condition does not hold. */
export const isConditionFailure = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConditionalCheckFailedException'
