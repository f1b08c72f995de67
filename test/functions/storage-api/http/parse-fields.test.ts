import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFields } from '#functions/storage-api/http/parse-fields.ts'

const parse = (query: string) => parseFields(new URLSearchParams(query))

describe('parseFields', () => {
  it.each([
    ['a plain field', 'name=x', { name: 'x' }],
    ['a list by empty brackets', 'tags[]=a&tags[]=b', { tags: ['a', 'b'] }],
    ['a list by indexes', 'tags[1]=b&tags[0]=a', { tags: ['a', 'b'] }],
    ['a list whose indexes have gaps', 'tags[5]=b&tags[2]=a', { tags: ['a', 'b'] }],
    ['empty brackets after an index', 'tags[3]=a&tags[]=b', { tags: ['a', 'b'] }],
    [
      'objects in a list',
      'whereFilters[0][column]=a&whereFilters[0][values][]=1&whereFilters[0][values][]=2&whereFilters[1][column]=b',
      { whereFilters: [{ column: 'a', values: ['1', '2'] }, { column: 'b' }] },
    ],
    ['an object', 'params[a]=1&params[b][c]=2', { params: { a: '1', b: { c: '2' } } }],
    [
      'metadata of columns whose names are numbers',
      'columnsMetadata[2024][0][key]=k&columnsMetadata[0][3][key]=l',
      { columnsMetadata: { 2024: [{ key: 'k' }], 0: [{ key: 'l' }] } },
    ],
    ['the last of two values', 'a=1&a=2', { a: '2' }],
    ['the last of a value and a list', 'a=1&a[]=2', { a: ['2'] }],
    ['an index that is no index', 'a[01]=x', { a: { '01': 'x' } }],
    ['brackets that do not close', 'a[b=1&c]=2', { 'a[b': '1', 'c]': '2' }],
    ['a name that begins with a bracket', '[a]=1', { '[a]': '1' }],
    ['an escaped name', 'tags%5B%5D=a%20b', { tags: ['a b'] }],
    ['nothing', '', {}],
  ])('reads %s', (_what, query, expected) => {
    expect(parse(query)).toEqual(expected)
  })

  it('takes names of prototypes for plain names', () => {
    const fields = parse('__proto__[polluted]=1&constructor[prototype][polluted]=1&a[__proto__][polluted]=1')
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
    expect(Object.hasOwn(fields, '__proto__')).toBe(true)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('refuses more fields, levels and characters than a client needs', () => {
    const many = Array.from({ length: 20_001 }, (_, index) => [`a[${index}]`, 'x'] as const)
    expect(() => parseFields(many)).toThrow('more than 20000 fields')
    expect(() => parse(`a${'[b]'.repeat(20)}=1`)).toThrow('nested more than 16 deep')
    expect(() => parse(`${'a'.repeat(3_000)}=1`)).toThrow('field name of more than 2000')
  })

  it('reads back whatever lists of objects are written in its notation', () => {
    const rows = fc.array(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.string(), { minKeys: 1 }), {
      minLength: 1,
    })
    fc.assert(
      fc.property(rows, value => {
        const entries = value.flatMap((row, index) =>
          Object.entries(row).map(([name, text]) => [`rows[${index}][${name}]`, text] as const),
        )
        // Written from a dictionary without a prototype, read into one with.
        expect(parseFields(entries)).toEqual({ rows: value.map(row => ({ ...row })) })
      }),
    )
  })

  it('reads any names without failing for another reason than its limits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: fc.constantFrom('a', '[', ']', '0', '_') }), fc.string())),
        entries => {
          expect(parseFields(entries)).toBeTypeOf('object')
        },
      ),
    )
  })
})
