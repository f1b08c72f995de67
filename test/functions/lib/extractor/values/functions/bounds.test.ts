import { describe, expect, it } from 'vitest'
import { evaluate } from '#lib/extractor/values/functions/evaluate.ts'

const call = (name: string, ...args: unknown[]) =>
  evaluate({ function: name, args }, {}, { now: 1_760_000_000 })

describe('functions that were asked for too much', () => {
  const million = 'x'.repeat(1_000_000)

  it.each([
    ['a wide sprintf', 'sprintf', ['%400000000d', 1], 'a width is at most 65536'],
    ['a width that is no number any more', 'sprintf', [`%${'9'.repeat(20)}d`, 1], 'a width is at most 65536'],
    ['many wide sprintfs', 'sprintf', ['%1$65536d'.repeat(1000), 1], 'more than 16777216 characters'],
    ['one text many times', 'sprintf', ['%1$s'.repeat(100), million], 'more than 16777216 characters'],
    ['a long glue', 'implode', [million, Array.from({ length: 100 }, () => 'a')], 'more than 16777216'],
    ['a long concat', 'concat', Array.from({ length: 100 }, () => million), 'more than 16777216'],
    ['a long date', 'date', ['r'.repeat(1_000_000)], 'more than 16777216'],
    ['hash __proto__', 'hash', ['__proto__', 'x'], 'must be a valid hashing algorithm'],
    ['hash constructor', 'hash', ['constructor', 'x'], 'must be a valid hashing algorithm'],
    ['hash_hmac toString', 'hash_hmac', ['__proto__', 'x', 'y'], 'must be a valid cryptographic'],
  ])('are refused: %s', (_what, name, args, message) => {
    expect(() => call(name, ...args)).toThrow(message)
    expect(() => call(name, ...args)).toThrow('User script error: ')
  })

  it('are refused by what an expression makes in all', () => {
    const many = Array.from({ length: 20 }, () => ({ function: 'md5', args: [{ attr: 'a' }] }))
    expect(() => evaluate(many, { attr: { a: million } })).toThrow('more than 16777216')
    expect(evaluate(many.slice(0, 10), { attr: { a: million } })).toHaveLength(10)
  })

  it.each<[string, unknown[], unknown]>([
    ['sprintf', [`%${'0'.repeat(100_000)}`, 1], `%${'0'.repeat(100_000)}`],
    ['sprintf', ['%.200f', 0.5], `0.5${'0'.repeat(52)}`],
    ['sprintf', ['%.200e', 1], `1.${'0'.repeat(53)}e+0`],
    ['sprintf', ['%.200g', 1], '1'],
    ['sprintf', ['%x', '1e999'], '0'],
    ['sprintf', ['%010d', 7], '0000000007'],
    ['strtotime', [`+${'9'.repeat(400)} weekdays`], false],
    ['strtotime', ['+50000000000 weekdays', 0], 10_000_000_000 * 7 * 86_400],
    ['strtotime', [' '.repeat(1_000_000)], false],
    ['strtotime', [`${'- '.repeat(500_000)}1 day`], false],
  ])('%s gives an answer: %#', (name, args, expected) => {
    expect(call(name, ...args)).toEqual(expected)
  })

  it('weekdays far away are computed without a loop over the days', () => {
    const from = Date.UTC(2026, 0, 3) / 1000 // a Saturday
    for (const count of [1, 4, 5, 6, 10, 11, 253, -1, -5, -7, -260]) {
      let at = from
      for (let left = Math.abs(count); left > 0; ) {
        at += Math.sign(count) * 86_400
        if (![0, 6].includes(new Date(at * 1000).getUTCDay())) left--
      }
      expect([count, call('strtotime', `${count} weekdays`, from)]).toEqual([count, at])
    }
  })
})
