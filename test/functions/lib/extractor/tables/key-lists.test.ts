import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyLists } from '#lib/extractor/tables/table-loads.ts'

it('gives each element the key of its row and its place', () => {
  expect(keyLists([{ id: 7, lines: [{ sku: 'a' }, { sku: 'b' }] }], ['id'])).toEqual([
    {
      id: 7,
      lines: [
        { sku: 'a', JSON_parentKey: 7, JSON_position: 0 },
        { sku: 'b', JSON_parentKey: 7, JSON_position: 1 },
      ],
    },
  ])
})

it('names the elements above, in lists inside lists', () => {
  const [row] = keyLists([{ id: 'o', lines: [{ parts: ['x'] }] }], ['id'])
  expect(row).toEqual({
    id: 'o',
    lines: [
      {
        parts: [{ data: 'x', JSON_parentKey: '["o",0]', JSON_position: 0 }],
        JSON_parentKey: 'o',
        JSON_position: 0,
      },
    ],
  })
})

it('finds key columns in objects, and those that the job adds', () => {
  const rows = [{ user: { id: 3 }, tags: ['t'] }]
  expect(keyLists(rows, ['user_id', 'parent_id'], { parent_id: 'p' })).toMatchObject([
    { tags: [{ data: 't', JSON_parentKey: '[3,"p"]', JSON_position: 0 }] },
  ])
})

it('gives lists in lists a key too', () => {
  expect(keyLists([{ id: 1, grid: [[5], [6]] }], ['id'])).toMatchObject([
    { grid: [{ data: [{ data: 5, JSON_parentKey: '[1,0]', JSON_position: 0 }] }, { JSON_position: 1 }] },
  ])
})

it('refuses members of its own names: two rows would be taken for one', () => {
  expect(() => keyLists([{ id: 1, taken: [{ JSON_position: 'mine' }] }], ['id'])).toThrow('"JSON_position"')
})

it('never gives two elements of rows with different keys the same key', () => {
  const id = fc.oneof(fc.integer(), fc.string())
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(id, id), { selector: pair => JSON.stringify(pair) }),
      fc.array(fc.array(fc.string(), { maxLength: 3 }), { maxLength: 3 }),
      (keys, parts) => {
        const rows = keys.map(([a, b]) => ({ a, b, lines: parts.map(each => ({ parts: each })) }))
        const keyed = keyLists(rows, ['a', 'b']) as { lines: { parts: object[] }[] }[]
        const found = keyed.flatMap(({ lines }) =>
          lines.flatMap(line =>
            line.parts.map(part => JSON.stringify([Object(part).JSON_parentKey, Object(part).JSON_position])),
          ),
        )
        expect(new Set(found).size).toBe(found.length)
      },
    ),
  )
})
