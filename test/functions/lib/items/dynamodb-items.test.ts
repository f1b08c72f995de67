import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
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

describe('of a transaction that DynamoDB cancels', () => {
  const key = { pk: 'p', sk: '1' }
  const cancelled = (...reasons: { Code: string; Item?: Record<string, { S: string }> }[]) =>
    new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons: reasons })
  /** Answers with these errors, one after the other, and then that it is done. */
  const answering = (...errors: Error[]) => {
    let calls = 0
    const tokens: unknown[] = []
    const send = async ({ input }: { input: { ClientRequestToken?: string } }) => {
      tokens.push(input.ClientRequestToken)
      const error = errors[calls++]
      if (error) throw error
      return { Responses: [{ Item: key }] }
    }
    return {
      items: createItemTable(dynamoDbItems(TableName, { send: send as never })),
      calls: () => calls,
      tokens,
    }
  }
  const put = { action: 'put', key, item: {}, when: 'absent' } as const
  const named = (name: string) => Object.assign(new Error(name), { name })

  it('a failed condition is a refusal, whatever else went wrong, and says what is there', async () => {
    const Item = { pk: { S: 'p' }, sk: { S: '1' }, owner: { S: 'other' } }
    const { items } = answering(
      cancelled({ Code: 'TransactionConflict' }, { Code: 'ConditionalCheckFailed', Item }, { Code: 'None' }),
    )
    const writes = [{ ...put, key: { pk: 'p', sk: '0' } }, put, { ...put, key: { pk: 'p', sk: '2' } }]
    expect(await items.transact(writes)).toEqual([{ key, found: { ...key, owner: 'other' } }])
  })

  it.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
    '%s is neither a refusal nor an end',
    async Code => {
      const writing = answering(cancelled({ Code: 'None' }, { Code }), cancelled({ Code }))
      expect(await writing.items.transact([put])).toEqual([])
      expect(writing.calls()).toBe(3)
    },
  )

  it.each(['TransactionInProgressException', 'TransactionConflictException'])(
    '%s of a single write passes, too',
    async name => {
      const { items, calls } = answering(named(name))
      expect(await items.put(key, {}, 'absent')).toBe(true)
      expect(await answering(named(name)).items.update(key, { add: { n: 1 } })).toBeUndefined()
      expect(calls()).toBe(2)
    },
  )

  it('rule 10, unknown is not no: it is asked for again under the same token, and thrown when no answer comes', async () => {
    const lost = named('TimeoutError')
    const { items: again, calls, tokens } = answering(lost, lost)
    expect(await again.transact([put])).toEqual([])
    expect(calls()).toBe(3)
    expect(new Set(tokens).size).toBe(1)
    await expect(answering(lost, lost, lost).items.transact([put])).rejects.toThrow('TimeoutError')
    const invalid = cancelled({ Code: 'ValidationError' })
    await expect(answering(invalid, invalid, invalid).items.transact([put])).rejects.toThrow('cancelled')
  })
})
