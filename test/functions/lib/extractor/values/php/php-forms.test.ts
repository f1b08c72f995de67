import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { phpFloat } from '#lib/extractor/values/php/php-number.ts'
import { phpJsonEncode, phpSerialize, phpVarExport } from '#lib/extractor/values/php/php-serialize.ts'
import { safeName } from '#lib/extractor/values/php/php-values.ts'
import { parseJson } from '#lib/json/parse-json.ts'

describe('doubles', () => {
  it.each<[number, 14 | 17, string]>([
    [0.1, 14, '0.1'],
    [0.1, 17, '0.10000000000000001'],
    [1 / 3, 14, '0.33333333333333'],
    [123456789.12345679, 14, '123456789.12346'],
    [1e14, 14, '1.0E+14'],
    [123456789012345, 14, '1.2345678901234E+14'],
    [12345678901234.5, 14, '12345678901234'],
    [12345678901235.5, 14, '12345678901236'],
    [0.0001, 14, '0.0001'],
    [0.00001, 14, '1.0E-5'],
    [-1.5e-7, 14, '-1.5E-7'],
    [1e30, 17, '1.0E+30'],
    [1.5, 17, '1.5'],
    [-0, 17, '-0'],
    [Number.POSITIVE_INFINITY, 14, 'INF'],
    [Number.NEGATIVE_INFINITY, 17, '-INF'],
    [99999999999999.9, 14, '1.0E+14'],
  ])('%d with %d digits is %s', (value, precision, text) => expect(phpFloat(value, precision)).toBe(text))
  it('with 17 digits are read back as they were, without zeros at the end', () => {
    const double = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer().map(cents => cents / 100),
    )
    fc.assert(
      fc.property(double, value => {
        const text = phpFloat(value, 17)
        expect(Number(text)).toBe(value)
        expect(text).not.toMatch(/\.\d*0$|\.$/)
      }),
    )
  })
})

describe('serialize', () => {
  it.each([
    [
      '{"id":1,"name":"č","n":null,"t":true}',
      'O:8:"stdClass":4:{s:2:"id";i:1;s:4:"name";s:2:"č";s:1:"n";N;s:1:"t";b:1;}',
    ],
    ['[1.5,1.0,1e2]', 'a:3:{i:0;d:1.5;i:1;d:1;i:2;d:100;}'],
    [
      '[9223372036854775807,9223372036854775808]',
      'a:2:{i:0;i:9223372036854775807;i:1;d:9.2233720368547758E+18;}',
    ],
    [
      '{"b":1,"10":2,"2":{"z":[]}}',
      'O:8:"stdClass":3:{s:1:"b";i:1;s:2:"10";i:2;s:1:"2";O:8:"stdClass":1:{s:1:"z";a:0:{}}}',
    ],
    ['-0', 'd:-0;'],
  ])('%s', (json, text) => expect(phpSerialize(parseJson(json))).toBe(text))
})

it('JSON text escapes slashes and everything outside ASCII', () => {
  expect(phpJsonEncode(parseJson('{"2":"a/b","č":[0.1,1.0,"😀\\n"]}'), false)).toBe(
    '{"2":"a\\/b","\\u010d":[0.10000000000000001,1,"\\ud83d\\ude00\\n"]}',
  )
  expect(phpJsonEncode(parseJson('[1.50,12345678901234567890]'), true)).toBe('[1.50,12345678901234567890]')
})

it('an object in a message is laid out as PHP does', () => {
  expect(phpVarExport(parseJson('{"x":1,"y":{"z":[true]}}'))).toBe(
    "(object) array(\n   'x' => 1,\n   'y' => \n  (object) array(\n     'z' => \n    array (\n      0 => true,\n    ),\n  ),\n)",
  )
})

describe('names', () => {
  it.each([
    ['users/{user-id}/orders.json', 'users_user-id_orders_json'],
    ['__a..b__', 'a_b'],
    ['čeština', 'e_tina'],
    ['', ''],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['a'.repeat(65), createHash('md5').update('a'.repeat(65)).digest('hex')],
  ])('%s', (path, name) => expect(safeName(path)).toBe(name))
})
