import { describe, expect, it } from 'vitest'
import { outputTarget, readStorageMapping } from '#functions/run-extractor/storage-mapping.ts'

const target = (given: object = {}) =>
  outputTarget({
    file: 'shop.orders',
    manifest: { destination: 'in.c-shop.orders', primaryKey: ['id'], incremental: false },
    mappings: [],
    componentId: 'ex-generic-v2',
    configId: 'c1',
    ...given,
  })

describe('outputTarget', () => {
  it('is what the manifest says', () => {
    expect(target()).toEqual({ tableId: 'in.c-shop.orders', primaryKey: ['id'], incremental: false })
  })

  it.each(['shop.orders', 'shop.orders.csv'])(
    'is what the mapping of %s says, where it says anything',
    source => {
      // An empty key is what editors write for "not set"
      const mapping = { source, destination: 'out.c-a.b', incremental: true, primary_key: [] }
      expect(target({ mappings: [mapping] })).toEqual({
        tableId: 'out.c-a.b',
        primaryKey: ['id'],
        incremental: true,
      })
    },
  )

  it('is in the bucket of the configuration when nobody names one', () => {
    const manifest = { primaryKey: [], incremental: false }
    expect(target({ file: 'orders', manifest }).tableId).toBe('in.c-ex-generic-v2-c1.orders')
    expect(target({ file: 'a/b c', manifest, componentId: 'a.b' }).tableId).toBe('in.c-a-b-c1.a_b_c')
  })

  it('refuses a destination that is no table id, by the name of the table', () => {
    const manifest = { destination: 'in.c-shop.ord.ers', primaryKey: [], incremental: false }
    expect(() => target({ manifest })).toThrow(/"shop\.orders".*"in\.c-shop\.ord\.ers"/)
  })
})

describe('readStorageMapping', () => {
  const read = (input: object, output: object = {}) =>
    readStorageMapping({ storage: { input: { tables: [input] }, output: { tables: [output] } } })

  it('is empty where nothing is mapped', () => {
    expect(readStorageMapping({})).toEqual({ inputs: [], outputs: [] })
    expect(readStorageMapping({ storage: {} })).toEqual({ inputs: [], outputs: [] })
  })

  it.each([
    ['an input without a source', { source: '' }, { source: 'a', destination: 'in.c-a.b' }, /source/],
    ['an input outside of its folder', { source: 'a', destination: '../a' }, {}, /destination/],
    ['an input that is the folder above', { source: 'a', destination: '..' }, {}, /destination/],
    ['a source that would be a path', { source: '../a' }, {}, /source/],
    ['adaptive inputs', { source: 'a', changed_since: 'adaptive' }, {}, /adaptive/],
    ['an output that is no table', { source: 'a' }, { source: 'a', destination: 'orders' }, /destination/],
    [
      'deleting rows',
      { source: 'a' },
      { source: 'a', destination: 'in.c-a.b', delete_where_column: 'x' },
      /delete_where_column/,
    ],
  ])('refuses %s', (_, input, output, message) => {
    expect(() => read(input, output)).toThrow(message)
  })
})
