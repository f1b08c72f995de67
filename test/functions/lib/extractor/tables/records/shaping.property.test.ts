import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explodeList } from '#lib/extractor/tables/records/create-shaper.ts'
import { flattenFields } from '#lib/extractor/tables/records/flatten-fields.ts'
import { renameFields } from '#lib/extractor/tables/records/rename-fields.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { orderedJson } from '#lib/json/ordered-json.ts'

const name = fc.stringMatching(/^[a-e1-3]{1,2}$/)
const scalar = fc.oneof(fc.constant(null), fc.integer(), fc.string(), fc.boolean())

const { row } = fc.letrec<{ row: JsonObject; value: Json }>(tie => ({
  row: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie('value'), { maxLength: 3 }), tie('row')),
}))

const isRow = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Values that no object holds members of. */
const leaves = (value: Json): string[] =>
  isRow(value) && Object.keys(value).length > 0
    ? Object.values(value).flatMap(leaves)
    : [JSON.stringify(value)]

/** Every leaf, those in lists too. */
const allLeaves = (value: Json): string[] =>
  Array.isArray(value)
    ? value.flatMap(allLeaves)
    : isRow(value)
      ? Object.values(value).flatMap(allLeaves)
      : [JSON.stringify(value)]

describe('records', () => {
  it('are as they were, order included, when fields are renamed and renamed back', () => {
    fc.assert(
      fc.property(row, fc.uniqueArray(name, { maxLength: 4 }), (given, names) => {
        const there = Object.fromEntries(names.map(field => [field, `new ${field}`]))
        const back = Object.fromEntries(names.map(field => [`new ${field}`, field]))
        const renamed = renameFields(there)(given)
        expect(orderedJson(renameFields(back)(renamed))).toBe(orderedJson(given))
      }),
    )
  })

  it('are equal when a field moves out of its object and back', () => {
    fc.assert(
      fc.property(row, scalar, (given, value) => {
        const whole = { ...given, box: { x: value, y: 1 } }
        const moved = renameFields({ 'box.x': 'out' })(whole)
        expect(moved['out']).toEqual(value)
        expect(renameFields({ out: 'box.x' })(moved)).toEqual(whole)
      }),
    )
  })

  it('keep every leaf when they are flattened', () => {
    fc.assert(
      fc.property(row, given => {
        // No key has a slash, so no two names are equal
        const flat = flattenFields({ separator: '/' })(given)
        expect(leaves(flat).sort()).toEqual(leaves(given).sort())
        expect(Object.values(flat).some(value => isRow(value) && Object.keys(value).length > 0)).toBe(false)
      }),
    )
  })

  it('keep every leaf when deeper objects become JSON text', () => {
    fc.assert(
      fc.property(row, fc.integer({ min: 0, max: 2 }), (given, depth) => {
        const flat = flattenFields({ separator: '/', depth })(given)
        const opened = Object.entries(flat).flatMap(([key, value]) => {
          const source = key
            .split('/')
            .reduce<Json>((at, part) => (isRow(at) ? (at[part] ?? null) : null), given)
          return isRow(source) && typeof value === 'string' ? leaves(JSON.parse(value)) : leaves(value)
        })
        expect(opened.sort()).toEqual(Object.values(given).flatMap(leaves).sort())
      }),
    )
  })

  it('keep the leaves of a list, and all other fields in each row, when it is exploded', () => {
    fc.assert(
      fc.property(row, fc.array(fc.oneof(scalar, row), { minLength: 1, maxLength: 5 }), (given, elements) => {
        const rows = [...explodeList({ path: 'the list', index: 'at' })({ ...given, 'the list': elements })]
        expect(rows.map(one => one['at'])).toEqual(elements.map((_, at) => at))
        expect(rows.flatMap(one => allLeaves(one['the list'] ?? null))).toEqual(allLeaves(elements))
        for (const { 'the list': _, at: __, ...others } of rows) expect(others).toEqual(given)
      }),
    )
  })
})
