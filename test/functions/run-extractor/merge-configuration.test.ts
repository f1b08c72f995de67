import fc from 'fast-check'
import { expect, it } from 'vitest'
import { componentConfig } from '#lib/extractor/config/component-config.ts'
import { mergeConfiguration } from '#lib/storage/configurations/merge-configuration.ts'

it.each([
  ['keys of both', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  ['the row on conflict', { a: 1 }, { a: 2 }, { a: 2 }],
  [
    'objects at any depth',
    { a: { b: { c: 1, d: 2 } } },
    { a: { b: { c: 3 } } },
    { a: { b: { c: 3, d: 2 } } },
  ],
  ['a whole list of the row', { a: [1, 2, 3] }, { a: [4] }, { a: [4] }],
  ['null of the row', { a: { b: 1 } }, { a: null }, { a: null }],
  ['an object of the row in place of a scalar', { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
])('takes %s', (_, root, row, merged) => {
  expect(mergeConfiguration(root, row)).toEqual(merged)
})

const json = fc.dictionary(fc.string(), fc.jsonValue())

it('an empty row changes nothing, a row over itself neither, and nothing given is touched', () => {
  fc.assert(
    fc.property(json, json, (root, row) => {
      const before = JSON.stringify([root, row])
      expect(mergeConfiguration(root, {})).toEqual({ ...root })
      expect(mergeConfiguration(row, row)).toEqual({ ...row })
      const merged = mergeConfiguration(root, row)
      for (const key of Object.keys({ ...root, ...row })) expect(Object.hasOwn(merged, key)).toBe(true)
      expect(JSON.stringify([root, row])).toBe(before)
    }),
  )
})

it('a key named __proto__ stays a key', () => {
  const merged = mergeConfiguration({}, JSON.parse('{"__proto__":{"isAdmin":true}}'))
  expect(Object.hasOwn(merged, '__proto__')).toBe(true)
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
})

it('the component never sees processors, and image_parameters and action are not the configuration’s to choose', () => {
  const stored = {
    parameters: { a: 1 },
    processors: {},
    schedule: 'rate(1 day)',
    continueOnFailure: true,
    image_parameters: { allowed_hosts: [] },
    action: 'test',
  }
  expect(componentConfig(stored, { allowed_hosts: [{ host: 'x' }] })).toEqual({
    parameters: { a: 1 },
    image_parameters: { allowed_hosts: [{ host: 'x' }] },
    action: 'run',
  })
})
