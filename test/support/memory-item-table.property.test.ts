import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MOST_ITEM_BYTES, sizeOfItem } from '#lib/items/item-limits.ts'
import {
  type AttributeCondition,
  createItemTable,
  type Item,
  type ItemTable,
  type ItemWrite,
} from '#lib/items/item-table.ts'
import { disturbedItems } from './disturbed-items.ts'
import { createMemoryItems, createMemoryItemTable } from './memory-item-table.ts'
import { otherImplementation } from './other-implementation.ts'
import { startItemTable } from './start-item-table.ts'
import { runs } from './thorough.ts'
import { untilEnd } from './until-end.ts'

/*
 * Tests and one machine keep their items in SQLite. What they show holds for DynamoDB as far as both give the same answers.
 */

const other = otherImplementation('MILLRACE_TEST_DYNAMODB') && (await untilEnd(startItemTable()))
const databases = other ? [other.items] : []

/** Few of them, so that they meet; characters whose order differs between UTF-8 and UTF-16. */
const sortKey = fc.constantFrom('a', 'a#1', 'a#10', 'a#2', 'b', 'z', 'ä', '\u{ff5e}', '\u{1f600}')
const key = fc.record({ pk: fc.constantFrom('p', 'q'), sk: sortKey })
const number = fc.constantFrom(1, 2, 1.5)
const NOON = new Date('2026-01-02T12:00:00.500Z')
const noonSeconds = Math.floor(NOON.getTime() / 1000)
const attributes = fc.record(
  {
    version: number,
    // Words that DynamoDB reserves.
    size: fc.constantFrom(1e-130, 1e-131, -1e-131, 0),
    data: fc.constantFrom('x', null),
    status: fc.constantFrom('open', 'done', ''),
    more: fc.constantFrom(
      null,
      '',
      [],
      {},
      [1, 'x', null],
      { a: { b: true, c: undefined } },
      { constructor: { name: 'Set' }, list: [{ constructor: 'Map' }] },
      Number.MAX_SAFE_INTEGER,
    ),
    gone: fc.constant(undefined),
    expiresAt: fc.constantFrom(noonSeconds, noonSeconds + 1),
  },
  { requiredKeys: [] },
)
const condition = fc.option(
  fc.oneof(
    fc.constant('absent' as const),
    fc.constant(NOON),
    fc.record({ version: number }),
    fc.record({ status: fc.constant('open') }),
    fc.record({ data: fc.constant(undefined) }, { requiredKeys: ['data'] }),
  ),
  { nil: undefined },
)
const bound = fc.constantFrom('a', 'a#1', 'b', 'z', 'ä', '\u{ff5e}')
const bounds = fc
  .tuple(bound, bound)
  .map(given => given.toSorted())
  .map(([from = '', to = '']) => ({ from, to }))
const options = fc.record(
  {
    newestFirst: fc.boolean(),
    pageSize: fc.integer({ min: 1, max: 3 }),
    attributes: fc.constantFrom(['sk'], ['version', 'pk'], ['size', 'data', 'status']),
  },
  { requiredKeys: [] },
)
const range = fc.tuple(bounds, options).map(([between, more]) => ({ ...between, ...more }))

const changes = fc.constantFrom(
  { add: { version: 1 } },
  { set: { status: 'done', more: { a: [] } }, remove: ['data'] },
  { remove: ['more'] },
)
const when = condition
const write: fc.Arbitrary<ItemWrite> = fc.oneof(
  fc.record({ action: fc.constant('put' as const), key, item: attributes, when }),
  fc.record({ action: fc.constant('update' as const), key, change: changes, when }),
  fc.record({ action: fc.constant('delete' as const), key, when }),
  fc
    .record({ action: fc.constant('check' as const), key, when })
    .map(given => ({ ...given, when: given.when ?? ('absent' as const) })),
)

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
  fc.tuple(key, fc.option(attributes, { nil: undefined }), condition).map(
    ([at, item, when]): Call =>
      items =>
        items.swap(at, item, when),
  ),
  fc.tuple(key, number, fc.subarray(['more', 'data'])).map(
    ([at, version, remove]): Call =>
      items =>
        items.update(at, { add: { version, other: 2 }, remove, set: { status: 'open' } }),
  ),
  fc
    .tuple(
      key,
      number,
      fc.constantFrom<AttributeCondition>(
        { version: 1 },
        { status: 'open' },
        { version: 2, status: 'done' },
        { data: undefined },
        { version: 1, status: undefined },
      ),
    )
    .map(
      ([at, version, when]): Call =>
        items =>
          items.update(at, { set: { version, status: 'done' }, add: { other: 1 } }, when),
    ),
  fc.tuple(key, fc.subarray(['more', 'data'], { minLength: 1 })).map(
    ([at, remove]): Call =>
      items =>
        items.update(at, { remove }),
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
  fc.array(write, { maxLength: 5 }).map(
    (writes): Call =>
      items =>
        items.transact(writes),
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
  const clear = async (dynamo: ItemTable) => {
    for (const pk of ['p', 'q'])
      for await (const { sk } of dynamo.query(pk, { from: ' ', to: '\u{10ffff}' }))
        await dynamo.delete({ pk, sk: `${sk}` })
  }
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 25 }), async calls => {
      await Promise.all(databases.map(clear))
      const memory = createMemoryItemTable()
      for (const given of calls) {
        const expected = await outcome(given, memory)
        for (const dynamo of databases) expect(await outcome(given, dynamo)).toEqual(expected)
      }
    }),
    { numRuns: 20 },
  )
})

it('gives the same where requests meet at items', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 15 }), async calls => {
      let asked = 0
      const disturbances = { random: () => asked++ % 2, conflicts: 0.5 }
      const met = createItemTable(disturbedItems(createMemoryItems(), disturbances))
      const memory = createMemoryItemTable()
      for (const given of calls) expect(await outcome(given, met)).toEqual(await outcome(given, memory))
    }),
    { numRuns: runs(20) },
  )
})

it('gives up, and says so, where another request never lets an item go', async () => {
  const held = createItemTable(disturbedItems(createMemoryItems(), { random: () => 0, conflicts: 1 }))
  const outcomes = Promise.allSettled([
    held.put({ pk: 'p', sk: 'a' }, {}),
    held.transact([{ action: 'delete', key: { pk: 'p', sk: 'a' } }]),
  ])
  for (const settled of await outcomes)
    expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'storage.busy' } })
})

it('refuses a range whose end is before its start, as DynamoDB does', async () => {
  for (const items of [createMemoryItemTable(), ...databases])
    expect(await outcome(one => allOf(one.query('p', { from: 'b', to: 'a' })), items)).toBe('refused')
})

describe('at the edges of what DynamoDB takes', () => {
  const at = { pk: 'edge', sk: 'a' }
  const put =
    (item: Item): Call =>
    items =>
      items.put(at, item)
  const nested = (levels: number): unknown => (levels === 0 ? 'x' : { a: nested(levels - 1) })
  const long = (bytes: number) => 'x'.repeat(bytes)
  const read =
    (from: string, to: string): Call =>
    items =>
      allOf(items.query('none', { from, to }))
  const keysOf = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ pk: 'together', sk: String(n).padStart(3, '0') }))
  const deletions = (count: number) => keysOf(count).map(key => ({ action: 'delete' as const, key }))
  const transact =
    (count: number, item: Item = {}): Call =>
    items =>
      items.transact(keysOf(count).map(key => ({ action: 'put', key, item })))
  const bothKeys: Call = items => items.getMany([at, at])

  it.each<[string, Call, boolean]>([
    ['31 levels', put({ value: nested(31) }), true],
    ['32 levels', put({ value: nested(32) }), false],
    ['136,529 digits', put({ x: Array(136_529).fill(1) }), true],
    ['136,530 digits', put({ x: Array(136_530).fill(1) }), false],
    ['102,396 empty lists', put({ x: Array(102_396).fill([]) }), true],
    ['102,397 empty lists', put({ x: Array(102_397).fill([]) }), false],
    ['the smallest number', put({ number: 1e-130 }), true],
    ['a smaller one', put({ number: -1e-131 }), false],
    ['a number beyond those that count', put({ number: 2 ** 60 }), false],
    ['a key of 1,024 bytes', items => items.put({ pk: 'edge', sk: long(1024) }, {}), true],
    ['a longer one', items => items.put({ pk: 'edge', sk: long(1025) }, {}), false],
    ['a partition of 2,048 bytes', items => items.put({ pk: long(2048), sk: 'a' }, {}), true],
    ['a longer partition', items => items.get({ pk: long(2049), sk: 'a' }), false],
    ['an empty name', put({ '': 1 }), false],
    ['an empty name below', put({ x: [{ '': 1 }] }), false],
    ['an empty key', items => items.put({ pk: 'edge', sk: '' }, {}), false],
    ['an empty key to read', items => items.get({ pk: 'edge', sk: '' }), false],
    ['an empty key to delete', items => items.delete({ pk: '', sk: 'a' }), false],
    ['an empty key among many', items => items.getMany([{ pk: 'edge', sk: '' }]), false],
    ['a key twice', bothKeys, false],
    ['an item twice', items => items.putAll([at, at]), false],
    [
      '101 keys',
      items => items.getMany(Array.from({ length: 101 }, (_, n) => ({ pk: 'none', sk: `${n}` }))),
      true,
    ],
    [
      '26 items',
      items => items.putAll(Array.from({ length: 26 }, (_, n) => ({ pk: 'many', sk: `${n}` }))),
      true,
    ],
    ['a transaction of 25 items', transact(25), true],
    ['one of 26', transact(26), false],
    ['one of none', transact(0), false],
    ['one of 4 MB', transact(10, { text: long(370_000) }), true],
    ['a larger one', transact(12, { text: long(370_000) }), false],
    ['one that names an item twice', items => items.transact([...deletions(1), ...deletions(1)]), false],
    ['a map with a name that objects have', put({ map: { constructor: { toString: 1 } } }), true],
    ['a map with the name that objects lose', put({ map: JSON.parse('{"__proto__":1}') }), false],
    ['a range from the empty key', read('', 'z'), false],
    ['a range to a key that is too long', read('a', long(1025)), false],
  ])('%s', async (_name, given, isTaken) => {
    for (const items of [createMemoryItemTable(), ...databases])
      expect((await outcome(given, items)) !== 'refused').toBe(isTaken)
  })
})

describe('the size of an item', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 })
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter(each => each !== '__proto__')
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.double({ min: -1e15, max: 1e15, noNaN: true }).filter(each => each === 0 || Math.abs(each) > 1e-100),
      fc.constantFrom(true, null, 0, 10, 100, 1200, 0.5, 0.05, 1e15, -1e-7),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    ),
  }))
  const at = { pk: 'size', sk: 'a' }

  it('is counted as DynamoDB counts it, to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(name, value, { maxKeys: 5 }),
        fc.integer({ min: -1, max: 1 }),
        async (given, more) => {
          // Digits in a list are larger for DynamoDB than as JSON, which our own limit counts.
          const sized = (digits: number, bytes: number) => ({
            given,
            list: Array(digits).fill(1),
            rest: 'x'.repeat(bytes),
          })
          const left = MOST_ITEM_BYTES - sizeOfItem({ ...at, ...sized(0, 0) }) + more
          const item = sized(Math.floor(left / 3), left % 3)
          const isTaken = more <= 0
          for (const items of [createMemoryItemTable(), ...databases])
            expect(await outcome(one => one.put(at, item), items)).toBe(isTaken || 'refused')
        },
      ),
      { numRuns: other ? 15 : runs(6) },
    )
  })
})

it('refuses an item that is too large for DynamoDB', async () => {
  const large = { text: 'x'.repeat(400_000) }
  await expect(createMemoryItemTable().put({ pk: 'p', sk: 'a' }, large)).rejects.toMatchObject({
    code: 'storage.requestTooLarge',
  })
})
