import { setTimeout as pause } from 'node:timers/promises'
import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb'
import type { TableProperties } from '../resources/data.ts'

export interface ExpiringTable {
  readonly name: string
  readonly properties: Pick<TableProperties, 'KeySchema' | 'TimeToLiveSpecification'>
}

interface ExpireOptions {
  readonly now: Date
  /** Between two pages of 1 MB, so that requests of others need not wait for a large table. */
  readonly pauseMs: number
  readonly signal: AbortSignal
}

/**
 * Deletes the items whose time to live is over, as DynamoDB does in its own time. Resolves to their number.
 *
 * An item that somebody renews meanwhile stays.
 */
export const expireItems = async (
  client: DynamoDBClient,
  tables: readonly ExpiringTable[],
  { now, pauseMs, signal }: ExpireOptions,
): Promise<number> => {
  const due = { ':now': { N: String(Math.floor(now.getTime() / 1000)) } }
  let expired = 0
  for (const { name, properties } of tables) {
    const expiry = properties.TimeToLiveSpecification
    if (!expiry?.Enabled) continue
    const keyNames = properties.KeySchema.map(({ AttributeName }) => AttributeName)
    const ofExpiry = { '#expiry': expiry.AttributeName }
    const pages = paginateScan(
      { client },
      {
        TableName: name,
        FilterExpression: '#expiry <= :now',
        ProjectionExpression: keyNames.map((_, index) => `#key${index}`).join(', '),
        ExpressionAttributeNames: {
          ...ofExpiry,
          ...Object.fromEntries(keyNames.map((keyName, index) => [`#key${index}`, keyName])),
        },
        ExpressionAttributeValues: due,
      },
    )
    for await (const { Items = [] } of pages) {
      for (const Key of Items)
        if (await deleteExpired(client, { TableName: name, Key, names: ofExpiry, due })) expired++
      await pause(pauseMs, undefined, { signal })
    }
  }
  return expired
}

const deleteExpired = async (
  client: DynamoDBClient,
  {
    TableName,
    Key,
    names,
    due,
  }: {
    TableName: string
    Key: Record<string, AttributeValue>
    names: Record<string, string>
    due: Record<string, AttributeValue>
  },
): Promise<boolean> => {
  try {
    await client.send(
      new DeleteItemCommand({
        TableName,
        Key,
        ConditionExpression: '#expiry <= :now',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: due,
      }),
    )
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false
    throw error
  }
}
