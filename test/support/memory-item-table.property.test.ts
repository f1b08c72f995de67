import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createItemTable, type ItemTable } from '#lib/storage/db/item-table.ts'
import { startItemDatabase } from './item-database.ts'
import { createMemoryItemTable } from './memory-item-table.ts'
import { untilEnd } from './until-end.ts'

/*
 * Most tests keep their items in memory. What they show holds for DynamoDB as far as both give the same answers.
 */

const database = await untilEnd(startItemDatabase())

/** Few of them, so that they meet; characters whose order differs between UTF-8 and UTF-16. */
const sortKey = fc.constantFrom('a', 'a#1', 'a#10', 'a#2', 'b', 'z', 'ä', '\u{ff5e}', '\u{1f600}')
const key = fc.record({ pk: fc.constantFrom('p', 'q'), sk: sortKey })
const number = fc.constantFrom(1, 2, 1.5)
const attributes = fc.record(
  {
    version: number,
    status: fc.constantFrom('open', 'done', ''),
    more: fc.constantFrom(
      null,
      '',
      [],
      {},
      [1, 'x', null],
      { a: { b: true, c: undefined } },
      Number.MAX_SAFE_INTEGER,
    ),
    gone: fc.constant(undefined),
  },
  { requiredKeys: [] },
)
const condition = fc.option(
  fc.oneof(
    fc.constant('absent' as const),
    fc.record({ version: number }),
    fc.record({ status: fc.constant('open') }),
  ),
  { nil: undefined },
)
/** Those that both orders agree on: the embedded DynamoDB compares the bounds of a range in the other one. */
const bound = fc.constantFrom('a', 'a#1', 'b', 'z', 'ä', '\u{ff5e}')
const bounds = fc
  .tuple(bound, bound)
  .map(given => given.toSorted())
  .map(([from = '', to = '']) => ({ from, to }))
const options = fc.record(
  {
    newestFirst: fc.boolean(),
    pageSize: fc.integer({ min: 1, max: 3 }),
    attributes: fc.constantFrom(['sk'], ['version', 'pk']),
  },
  { requiredKeys: [] },
)
const range = fc.tuple(bounds, options).map(([between, more]) => ({ ...between, ...more }))

type Call = (items: ItemTable) => Promise<unknown>

const uniqueKeys = fc.uniqueArray(key, { selector: ({ pk, sk }) => `${pk} ${sk}`, maxLength: 5 })
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(key, attributes, condition).map(
    ([at, item, when]): Call =>
      items =>
        items.put(at, item, when),
  ),
  fc.tuple(key, condition).map(
    ([at, when]): Call =>
      items =>
        items.delete(at, when),
  ),
  key.map(
    (at): Call =>
      items =>
        items.get(at),
  ),
  uniqueKeys.map(
    (keys): Call =>
      async items => {
        const found = await items.getMany(keys)
        return found.toSorted((a, b) => (`${a['pk']} ${a['sk']}` < `${b['pk']} ${b['sk']}` ? -1 : 1))
      },
  ),
  fc.tuple(fc.array(key, { maxLength: 5 }), attributes).map(
    ([keys, item]): Call =>
      items =>
        items.putAll(keys.map(at => ({ ...item, ...at }))),
  ),
  fc.tuple(fc.constantFrom('p', 'q'), range).map(
    ([pk, of]): Call =>
      items =>
        allOf(items.query(pk, of)),
  ),
)

const allOf = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** What a call gives, or that it is refused. */
const outcome = async (given: Call, items: ItemTable): Promise<unknown> => {
  try {
    return await given(items)
  } catch {
    return 'refused'
  }
}

it('gives what DynamoDB gives, whatever was called before', async () => {
  const dynamo = createItemTable(database.requests, database.tableName)
  const clear = async () => {
    for (const pk of ['p', 'q'])
      for await (const { sk } of dynamo.query(pk, { from: ' ', to: '\u{10ffff}' }))
        await dynamo.delete({ pk, sk: `${sk}` })
  }
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 25 }), async calls => {
      await clear()
      const memory = createMemoryItemTable()
      for (const given of calls) expect(await outcome(given, memory)).toEqual(await outcome(given, dynamo))
    }),
    { numRuns: 20 },
  )
})

it('refuses a range whose end is before its start, as DynamoDB does', async () => {
  for (const items of [createMemoryItemTable(), createItemTable(database.requests, database.tableName)])
    expect(await outcome(one => allOf(one.query('p', { from: 'b', to: 'a' })), items)).toBe('refused')
})

it('refuses an item that is too large for DynamoDB', async () => {
  const large = { text: 'x'.repeat(400_000) }
  await expect(createMemoryItemTable().put({ pk: 'p', sk: 'a' }, large)).rejects.toMatchObject({
    code: 'storage.requestTooLarge',
  })
})
