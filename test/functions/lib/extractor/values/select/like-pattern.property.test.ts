import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { likePattern, parseRowFilter } from '#lib/extractor/values/select/response-filter.ts'

/** What the pattern means, in as many steps as it takes: good for short texts. */
const asRegExp = (pattern: string): RegExp =>
  new RegExp(`^${pattern.split('%').map(RegExp.escape).join('[^\\n]*?')}\\n?$`)

const letters = (alphabet: string) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 9 })

describe('likePattern', () => {
  it('matches what the regular expression of Generic Extractor matches', () => {
    fc.assert(
      fc.property(letters('ab%\n'), letters('ab\n'), (pattern, value) => {
        expect(likePattern(pattern)(value)).toBe(asRegExp(pattern).test(value))
      }),
      { numRuns: 20_000 },
    )
  })

  it.each([
    ['%a%a%a%a%a%a%b', 'a'.repeat(300)],
    [`${'%a'.repeat(400)}%b`, 'a'.repeat(1_000_000)],
    ['%\n%b', `${'\n'.repeat(200_000)}a`],
  ])('gives up %.20j on a long value', (pattern, value) => {
    expect(likePattern(pattern)(value)).toBe(false)
  })

  it('is refused when it is longer than anybody writes', () => {
    expect(() => parseRowFilter(`a~~${'%a'.repeat(501)}`)).toThrow('at most 1000 characters')
    expect(parseRowFilter(`${'a==1|'.repeat(1000)}a~~%b`)({ a: 'ab' })).toBe(true)
  })
})
