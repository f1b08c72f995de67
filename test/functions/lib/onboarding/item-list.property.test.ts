import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findItems } from '#lib/extractor/values/select/find-items.ts'
import type { Json } from '#lib/json/json-value.ts'
import { findItemList, toDataField } from '#lib/onboarding/item-list.ts'

const key = fc.string({ minLength: 1, maxLength: 8 }).filter(text => text !== '__proto__')
const scalar = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null))
const item = fc.dictionary(key, fc.oneof(scalar, fc.array(fc.record({ a: scalar }), { maxLength: 3 })), {
  minKeys: 1,
})
/** What stands beside the rows: never a list of objects. */
const beside = fc.dictionary(
  key,
  fc.oneof(scalar, fc.array(fc.integer(), { maxLength: 20 }), fc.dictionary(key, scalar, { maxKeys: 3 })),
  { maxKeys: 5 },
)

/** An answer with its rows below these keys. */
const wrap = (keys: readonly string[], items: Json[], sides: readonly Record<string, Json>[]): Json =>
  keys.reduceRight<Json>((inner, name, level) => ({ ...sides[level], [name]: inner }), items)

it('finds the only list of objects of any answer, and a job with this dataField reads it', () => {
  fc.assert(
    fc.property(
      fc.array(key, { maxLength: 4 }),
      fc.array(item, { minLength: 1, maxLength: 5 }),
      fc.array(beside, { minLength: 4, maxLength: 4 }),
      (keys, items, sides) => {
        const answer = wrap(keys, items as Json[], sides as Record<string, Json>[])
        const found = findItemList(answer, 'items')
        expect(found).toEqual({ keys, items })
        if (keys.length === 0) return
        // The path is written as a configuration has it and read as a run reads it
        const trimmed = keys.every(name => !/^[./]|[./]$/.test(name))
        if (trimmed) expect(findItems(answer, { dataField: toDataField(keys) }, 'items').items).toEqual(items)
      },
    ),
    { numRuns: 200 },
  )
})

it('a list below the key 0 is found by its path', () => {
  const answer: Json = { 0: [{ id: 1 }], others: [] }
  expect(findItems(answer, { dataField: toDataField(['0']) }, 'items').items).toEqual([{ id: 1 }])
})

it.each([
  [{ errors: [{ code: 1 }], rows: [{ id: 1 }] }, 'x', ['rows']],
  [{ data: [{ id: 1 }], included: [{ id: 2 }, { id: 3 }] }, 'x', ['data']],
  [{ meta: { pages: [{ n: 1 }] }, orders: [{ id: 1 }] }, 'shop/orders', ['orders']],
  [{ tags: [{ id: 1 }], things: [{ id: 1 }, { id: 2 }] }, 'tags', ['tags']],
  [{ orders: [], tags: ['a'] }, 'orders', ['orders']],
  [{ list: ['a', 'b'] }, 'x', ['list']],
])('chooses the rows in %j', (answer, endpoint, keys) => {
  expect(findItemList(answer, endpoint)?.keys).toEqual(keys)
})

it('finds none in an answer without a list', () => {
  expect(findItemList({ id: 1, owner: { name: 'x' } }, 'x')).toBeUndefined()
})
