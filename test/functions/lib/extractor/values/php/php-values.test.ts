import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ByteString,
  isEmpty,
  isEmptyAsArray,
  toInteger,
  toPhpText,
  toText,
} from '#lib/extractor/values/php/php-values.ts'
import { valueAt } from '#lib/extractor/values/select/json-path.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'

describe('empty values', () => {
  it.each<[unknown]>([
    [undefined],
    [null],
    [false],
    [0],
    [-0],
    [new JsonNumber('0.00')],
    [''],
    ['0'],
    [[]],
    [new ByteString(Buffer.alloc(0))],
  ])('%j is empty', value => {
    expect([isEmpty(value), isEmptyAsArray(value)]).toEqual([true, true])
  })

  it.each<[unknown]>([
    [true],
    [1],
    [new JsonNumber('0.10')],
    ['0.0'],
    [' '],
    ['false'],
    [[null]],
    [{ a: null }],
    [new ByteString(Buffer.from([0]))],
  ])('%j is not', value => {
    expect([isEmpty(value), isEmptyAsArray(value)]).toEqual([false, false])
  })

  it('include an object without keys only where PHP decodes objects to arrays', () => {
    expect([isEmpty({}), isEmptyAsArray({})]).toEqual([false, true])
  })

  it('are, of scalars, those that are false as text or as a number', () => {
    fc.assert(
      fc.property(fc.oneof(fc.boolean(), fc.integer(), fc.string(), fc.constant(null)), value => {
        expect(isEmpty(value)).toBe(['', '0'].includes(toText(value)))
      }),
    )
  })
})

describe('text of a value', () => {
  it('is the same with and without the rounding of PHP but for doubles and lists', () => {
    fc.assert(
      fc.property(fc.oneof(fc.boolean(), fc.integer(), fc.string(), fc.constant(null)), value => {
        expect(toPhpText(value)).toBe(toText(value))
      }),
    )
  })

  it.each([
    ['1.50', '1.50', '1.5'],
    ['12345678901234567890', '12345678901234567890', '1.2345678901235E+19'],
    ['1e5', '1e5', '100000'],
    ['0.3333333333333333', '0.3333333333333333', '0.33333333333333'],
    ['[1]', '[1]', 'Array'],
    ['{"a":1.50}', '{"a":1.50}', '{"a":1.50}'],
    ['true', '1', '1'],
    ['null', '', ''],
  ])('of %s is %s, for PHP %s', (json, text, php) => {
    const value = parseJson(json)
    expect([toText(value), toPhpText(value)]).toEqual([text, php])
  })

  it('gives a whole number back', () => {
    fc.assert(
      fc.property(fc.integer(), number => {
        expect(toInteger(toText(number))).toBe(number)
      }),
    )
  })
})

describe('a path', () => {
  const value: Json = { list: [{ a: 1 }, null], text: 'abc', 'a.b': 2, '': 3 }

  it.each<[string, Json | undefined]>([
    ['list.0.a', 1],
    ['list.1', undefined],
    ['list.2', undefined],
    ['list.00', undefined],
    ['list.length', undefined],
    ['text.length', undefined],
    ['.text.', 'abc'],
    ['constructor', undefined],
  ])('%s leads to %j', (path, found) => {
    expect(valueAt(path, value)).toEqual(found)
  })

  it('of nothing or of the delimiter alone leads to the value itself', () => {
    expect(['', '.', '..'].map(path => valueAt(path, value))).toEqual([value, value, value])
  })
})
