import { describe, expect, it } from 'vitest'
import { hasNameCharacters, isTableIdForLoad, parseTableId } from '#lib/wire/storage-ids.ts'

describe('parseTableId', () => {
  it.each([
    ['in.c-main.orders', { bucketId: 'in.c-main', name: 'orders' }],
    ['out.main.a_b-c', { bucketId: 'out.main', name: 'a_b-c' }],
    ['in.c-main', undefined],
    ['in.c-main.', undefined],
    ['sys.c-main.a', undefined],
    ['in.c.main.a', undefined],
    ['', undefined],
    ['in.c-main.a/b', undefined],
    [`in.c-main.${'a'.repeat(201)}`, undefined],
  ])('reads %j', (id, parts) => {
    expect(parseTableId(id)).toEqual(parts)
  })
})

describe('isTableIdForLoad', () => {
  it.each([
    ['in.c-main.orders', true],
    ['out.c-main.a_b-c', true],
    ['in.main.orders', false],
    ['in.c-.orders', false],
    ['in.c-main', false],
    ['in.c-main.a.b', false],
    ['in.c-main./../../x', false],
    ['in.c-main.orders\n', false],
  ])('of %j is %j', (id, isOne) => {
    expect(isTableIdForLoad(id)).toBe(isOne)
  })
})

describe('hasNameCharacters', () => {
  it.each([
    ['orders_2-a', true],
    ['', false],
    ['a b', false],
    ['a.b', false],
    ['ä', false],
  ])('of %j is %j', (text, has) => {
    expect(hasNameCharacters(text)).toBe(has)
  })
})
