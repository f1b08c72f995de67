import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import type { TableProperties } from '../resources/table.ts'

/** It takes as long as two writes. */
const activationSeconds = 60

/**
 * Makes the tables that are missing, and waits until they can be used.
 *
 * A table that is there with other keys or indexes than the template's is refused by name: in the cloud, too, some of
 * those changes replace the table, and none happens by itself here.
 */
export const createTables = async (
  client: DynamoDBClient,
  tables: readonly { name: string; properties: TableProperties }[],
): Promise<void> => {
  for (const { name, properties } of tables) {
    const existing = await describe(client, name)
    if (existing === undefined) {
      await client.send(
        new CreateTableCommand({
          TableName: name,
          AttributeDefinitions: properties.AttributeDefinitions,
          KeySchema: properties.KeySchema,
          BillingMode: properties.BillingMode,
          GlobalSecondaryIndexes: properties.GlobalSecondaryIndexes,
        }),
      )
      await waitUntilTableExists(
        { client, minDelay: 0.01, maxDelay: 0.01, maxWaitTime: activationSeconds },
        { TableName: name },
      )
    } else if (existing !== shapeOf(properties)) {
      throw new Error(
        `The table ${name} in the data directory has other keys or indexes than the template: ${existing} and ` +
          `${shapeOf(properties)}. Start with another data directory, or remove this one.`,
      )
    }
  }
}

const describe = async (client: DynamoDBClient, name: string): Promise<string | undefined> => {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
    return shapeOf({ KeySchema: Table?.KeySchema, GlobalSecondaryIndexes: Table?.GlobalSecondaryIndexes })
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined
    throw error
  }
}

interface Keys {
  readonly KeySchema?:
    | readonly { AttributeName?: string | undefined; KeyType?: string | undefined }[]
    | undefined
}

const shapeOf = (
  table: Keys & {
    readonly GlobalSecondaryIndexes?: readonly (Keys & { IndexName?: string | undefined })[] | undefined
  },
): string => {
  const indexes = (table.GlobalSecondaryIndexes ?? [])
    .map(index => `${index.IndexName} ${keysOf(index)}`)
    .sort()
  return [keysOf(table), ...indexes].join(', ')
}

const keysOf = ({ KeySchema = [] }: Keys): string =>
  KeySchema.map(({ AttributeName, KeyType }) => `${AttributeName}:${KeyType}`).join('+')
