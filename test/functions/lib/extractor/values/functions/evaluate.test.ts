import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { evaluate } from '#lib/extractor/values/functions/evaluate.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'

const context = {
  attr: { user: 'john', nested: { list: ['a', 'b'] }, zero: 0, nothing: null },
  time: { currentStart: 1490000000 },
}
const call = (name: string, ...args: Json[]): Json =>
  evaluate({ function: name, args }, context, { now: 1490000000 })

describe('references', () => {
  it('read attributes by dots and list positions', () => {
    expect(evaluate({ attr: 'nested.list.1' }, context)).toBe('b')
  })
  it('keep the type of the value', () => expect(evaluate({ attr: 'zero' }, context)).toBe(0))
  it('to a context of another place stay as they are', () => {
    expect(evaluate({ response: 'token' }, context)).toEqual({ response: 'token' })
  })
  it.each([['missing'], ['nothing'], ['nested'], ['nested.list']])(
    'to %s are an error with the path',
    reference => {
      expect(() => evaluate({ attr: reference }, context, { path: 'config.jobs.0.params.since' })).toThrow(
        `User script error: Error evaluating user function - attr '${reference}' not found! (in config.jobs.0.params.since)`,
      )
    },
  )
  it('by an object are an error', () =>
    expect(() => evaluate({ attr: {} }, context)).toThrow('is not a string!'))
})

describe('functions', () => {
  it.each<[string, Json[], Json]>([
    ['md5', ['x'], createHash('md5').update('x').digest('hex')],
    ['sha1', [true], createHash('sha1').update('1').digest('hex')],
    ['hash', ['sha256', 'č'], createHash('sha256').update('č').digest('hex')],
    ['hash', ['adler32', 'Wikipedia'], '11e60398'],
    ['hash', ['fnv1a32', 'a'], 'e40c292c'],
    ['hash_hmac', ['sha256', 'data', 'key'], createHmac('sha256', 'key').update('data').digest('hex')],
    ['base64_encode', ['user:pass'], 'dXNlcjpwYXNz'],
    ['concat', ['a', 1, 1.5, true, false, null], 'a11.51'],
    ['implode', ['-', ['a', 2]], 'a-2'],
    ['implode', [['a', 2], '-'], 'a-2'],
    ['ifempty', ['', 'd'], 'd'],
    ['ifempty', ['0', 'd'], 'd'],
    ['ifempty', ['a', 'd'], 'a'],
    ['time', [], 1490000000],
    ['date', ['Y-m-d'], '2017-03-20'],
    ['date', ['\\Y\\m Y', 0], 'Ym 1970'],
    ['date', ['Y-m-d', '86400'], '1970-01-02'],
    ['date', ['o-\\WW', 1483228800], '2016-W52'],
    ['strtotime', ['-1 day'], 1489913600],
    ['strtotime', ['nonsense'], false],
    ['sprintf', ["%'.05d", 3], '00003'],
    ['sprintf', ["%'*10s|%-10s|", 'left', 'right'], '******left|right     |'],
    [
      'sprintf',
      ['%05.1f|%x|%b|%c|%%|%e|%+d', 9.96, 255, 5, 65, 12345.678, 7],
      '010.0|ff|101|A|%|1.234568e+4|+7',
    ],
    ['sprintf', ['%.2f', 1.005], '1.01'],
    ['sprintf', ['%s %s', 1e30, 123456789.12345679], '1.0E+30 123456789.12346'],
    ['sprintf', ['%u', -1], '18446744073709551615'],
    ['sprintf', ['%d|%x', '12345678901234567890', '9007199254740993'], '12345678901234567890|20000000000001'],
  ])('%s%j', (name, args, expected) => expect(call(name, ...args)).toEqual(expected))

  it('read numbers that a double would change as Generic Extractor does', () => {
    expect(call('concat', new JsonNumber('12345678901234567'), '|', new JsonNumber('1.50'))).toBe(
      '12345678901234567|1.5',
    )
  })
  it('nest, and take raw digests on the way', () => {
    const raw = { function: 'hash_hmac', args: ['sha256', { attr: 'user' }, 'key', true] }
    const expected = createHmac('sha256', 'key').update('john').digest('base64')
    expect(evaluate({ function: 'base64_encode', args: [raw] }, context)).toBe(expected)
  })
  it('are called at any depth', () => {
    const value = {
      filter: [{ since: { function: 'date', args: ['Y', { time: 'currentStart' }] } }],
      limit: 1,
    }
    expect(evaluate(value, context)).toEqual({ filter: [{ since: '2017' }], limit: 1 })
  })
  it.each<[string, Json[], string]>([
    ['md5', [], 'md5() expects at least 1 argument, 0 given'],
    ['ifempty', ['a'], "Bad argument count for function 'ifempty'!"],
    ['sprintf', ['%s %s', 'a'], '3 arguments are required, 2 given'],
    ['hash', ['nope', 'a'], 'must be a valid hashing algorithm'],
    ['implode', [',', 'text'], 'must be of type ?array'],
    ['date', ['Y-m-d', 1_700_000_000_000_000], '1700000000000000 is no number of seconds'],
  ])('%s%j is refused', (name, args, message) => expect(() => call(name, ...args)).toThrow(message))
})

describe('unknown functions', () => {
  it('are refused with a suggestion', () => {
    expect(() => call('bas64_encode', 'x')).toThrow(
      "Illegal function 'bas64_encode'! Did you mean 'base64_encode'?",
    )
  })
  it('that PHP has are refused too', () =>
    expect(() => call('system', 'ls')).toThrow("Illegal function 'system'!"))
  it('named like what every object has are refused', () => {
    expect(() => call('constructor')).toThrow("Illegal function 'constructor'!")
  })
  it('urlencode is for the places that allow it', () => {
    expect(() => call('urlencode', 'a b')).toThrow("Illegal function 'urlencode'!")
    expect(evaluate({ function: 'urlencode', args: ['a b&č~'] }, {}, { isPlaceholder: true })).toBe(
      'a+b%26%C4%8D%7E',
    )
  })
})
