import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { TableProperties } from '../resources/data.ts'
import type { ItemRequest } from './item-server.ts'

/** It takes as long as two writes. */
const ACTIVATION_MS = 60_000
const LOOK_EVERY_MS = 5

/**
 * Makes the tables that are missing, and waits until they can be used.
 *
 * A table that is there with other keys than the template's is refused by name: in the cloud, too, some of
 * those changes replace the table, and none happens by itself here.
 */
export const createTables = async (
  request: ItemRequest,
  tables: readonly { name: string; properties: TableProperties }[],
): Promise<void> => {
  for (const { name, properties } of tables) {
    const existing = await describe(request, name)
    if (existing === undefined) {
      await request('CreateTable', {
        TableName: name,
        AttributeDefinitions: properties.AttributeDefinitions,
        KeySchema: properties.KeySchema,
        BillingMode: properties.BillingMode,
      })
      await untilActive(request, name)
    } else if (keysOf(existing) !== keysOf(properties)) {
      throw new Error(
        `The table ${name} in the data directory has other keys than the template: ${keysOf(existing)} and ` +
          `${keysOf(properties)}. Start with another data directory, or remove this one.`,
      )
    }
  }
}

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.string() }))
const description = z.object({
  Table: z.object({
    TableStatus: z.string(),
    KeySchema: keySchema,
  }),
})

const describe = async (request: ItemRequest, name: string) => {
  try {
    return description.parse(await request('DescribeTable', { TableName: name })).Table
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined
    throw error
  }
}

const untilActive = async (request: ItemRequest, name: string): Promise<void> => {
  const latest = Date.now() + ACTIVATION_MS
  while ((await describe(request, name))?.TableStatus !== 'ACTIVE') {
    if (Date.now() > latest) throw new Error(`The table ${name} could not be made`)
    await sleep(LOOK_EVERY_MS)
  }
}

interface Keys {
  readonly KeySchema: readonly { AttributeName: string; KeyType: string }[]
}

const keysOf = ({ KeySchema }: Keys): string =>
  KeySchema.map(({ AttributeName, KeyType }) => `${AttributeName}:${KeyType}`).join('+')
