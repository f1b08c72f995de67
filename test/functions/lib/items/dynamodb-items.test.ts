import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { dynamoDbItems } from '#lib/items/dynamodb-items.ts'
import { createItemTable } from '#lib/items/item-table.ts'

const TableName = 'things'
const keysOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ pk: 'p', sk: String(index).padStart(4, '0') }))

/** DynamoDB as it answers batches: it does some of each request, and lists the others as not processed. */
const batching = (most: number) => {
  const stored = new Map<string, object>()
  const sizes: number[] = []
  const send = async (command: unknown): Promise<object> => {
    if (command instanceof BatchGetCommand) {
      const { Keys = [], ConsistentRead } = command.input.RequestItems?.[TableName] ?? {}
      expect(ConsistentRead).toBe(true)
      sizes.push(Keys.length)
      const found = Keys.slice(0, most).flatMap(({ sk }) => stored.get(sk) ?? [])
      return {
        Responses: { [TableName]: found },
        UnprocessedKeys: { [TableName]: { Keys: Keys.slice(most) } },
      }
    }
    if (!(command instanceof BatchWriteCommand)) throw new Error('No other operation is expected')
    const writes = command.input.RequestItems?.[TableName] ?? []
    sizes.push(writes.length)
    for (const { PutRequest } of writes.slice(0, most))
      stored.set(PutRequest?.Item?.['sk'], { ...PutRequest?.Item })
    return { UnprocessedItems: { [TableName]: writes.slice(most) } }
  }
  return { items: createItemTable(dynamoDbItems(TableName, { send: send as never })), sizes }
}

describe('a batch', () => {
  it('holds as much as a request of DynamoDB may', async () => {
    const { items, sizes } = batching(100)
    await items.putAll(keysOf(60).map(key => ({ ...key, number: Number(key.sk) })))
    expect(sizes.splice(0)).toEqual([25, 25, 10])
    const found = await items.getMany(keysOf(250))
    expect(found.map(({ number }) => number).toSorted()).toEqual(
      Array.from({ length: 60 }, (_, n) => n).toSorted(),
    )
    expect(sizes).toEqual([100, 100, 50])
    expect(await items.getMany([])).toEqual([])
    await items.putAll([])
  })

  it('is sent again without what was done, where the database is busy or a reply would be too large', async () => {
    const { items, sizes } = batching(2)
    await items.putAll(keysOf(7))
    expect(sizes.splice(0)).toEqual([7, 5, 3, 1])
    expect(await items.getMany(keysOf(7))).toHaveLength(7)
    expect(sizes).toEqual([7, 5, 3, 1])
  })

  it('of which nothing is done is given up, and may be done a moment later', async () => {
    const { items } = batching(0)
    await expect(items.getMany(keysOf(1))).rejects.toMatchObject({ code: 'storage.busy' })
    await expect(items.putAll(keysOf(1))).rejects.toMatchObject({ code: 'storage.busy' })
  })
})
