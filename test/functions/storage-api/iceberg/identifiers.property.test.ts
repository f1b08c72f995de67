import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { identifiersOf, itemsNamed } from '#functions/storage-api/iceberg/names/names.ts'
import { aliasOf } from '#lib/storage/tables/other-names.ts'

describe('an alias', () => {
  it.each([
    ['in.c-main', 'in_c_main'],
    ['orders.v2', 'orders_v2'],
    ['Orders-2024', 'orders_2024'],
    ['my orders', 'my_orders'],
    ['2024', 't_2024'],
    ['_private', '_private'],
    ['Größe', 'gr__e'],
    ['orders', 'orders'],
  ])('of %s is %s', (name, alias) => expect(aliasOf(name)).toBe(alias))

  it('can be typed without quotes, and is its own alias', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), name => {
        expect(aliasOf(name)).toMatch(/^[a-z_][a-z0-9_]*$/)
        expect(aliasOf(aliasOf(name))).toBe(aliasOf(name))
      }),
    )
  })
})

/** Few characters, so that many names have one alias. */
const name = fc.string({ unit: fc.constantFrom('a', 'A', '-', '_', '1', 't'), minLength: 1, maxLength: 4 })
const tables = fc
  .uniqueArray(name, { maxLength: 12 })
  .map(names => names.map(each => ({ id: `in.c-main.${each}`, name: each })))

describe('the identifiers of tables', () => {
  it('stand each for the one table that is listed under it', () => {
    fc.assert(
      fc.property(tables, items => {
        const identifiers = identifiersOf(items)
        expect(new Set(identifiers).size).toBe(items.length)
        for (const [index, identifier] of identifiers.entries())
          expect(itemsNamed(items, identifier)).toEqual([items[index]])
      }),
    )
  })

  it('never stand for one table where another has the same name or alias', () => {
    fc.assert(
      fc.property(tables, name, (items, asked) => {
        const found = itemsNamed(items, asked)
        const answering = items.filter(item => item.name === asked || aliasOf(item.name) === asked)
        expect(found).toEqual(answering)
      }),
    )
  })

  it('are ids where two tables share an alias, and aliases elsewhere', () => {
    const items = ['orders-v2', 'orders_v2', 'people'].map(each => ({ id: `in.c-main.${each}`, name: each }))
    expect(identifiersOf(items)).toEqual(['in.c-main.orders-v2', 'in.c-main.orders_v2', 'people'])
    expect(itemsNamed(items, 'orders_v2')).toHaveLength(2)
    expect(itemsNamed(items, 'orders-v2')).toEqual([items[0]])
  })
})
