import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { truncateLower, truncateUpper } from '#lib/iceberg/values/bounds.ts'
import { compareText } from '#lib/table-engine/types/compare-values.ts'

const text = fc.string({
  unit: fc.constantFrom('a', 'z', '\ud7ff', '\ufeff', '\uffff', '\u{1f600}', '\u{10ffff}'),
  maxLength: 40,
})

describe('the bounds of a text', () => {
  it('have the text between them, and at most 16 characters', () => {
    fc.assert(
      fc.property(text, value => {
        const lower = truncateLower(value)
        const upper = truncateUpper(value)
        expect([...lower].length).toBeLessThanOrEqual(16)
        expect(compareText(lower, value)).toBeLessThanOrEqual(0)
        if (upper === undefined) return
        expect([...upper].length).toBeLessThanOrEqual(16)
        expect(compareText(upper, value)).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  const sixteen = 'abcdefghijklmnop'
  it.each([
    ['a text of 16 characters', sixteen, sixteen],
    ['a longer text', `${sixteen}q`, 'abcdefghijklmnoq'],
    ['a text whose last character cannot be raised', `${sixteen.slice(1)}\u{10ffff}x`, 'bcdefghijklmnoq'],
    ['a character before the surrogates', `${sixteen.slice(1)}\ud7ffx`, `${sixteen.slice(1)}\ue000`],
    ['a text that has no upper bound', '\u{10ffff}'.repeat(17), undefined],
  ])('%s has the upper bound', (_, value, upper) => {
    expect(truncateUpper(value)).toBe(upper)
  })

  it('are compared by code points', () => {
    // UTF-16 units would say the opposite.
    expect(compareText('\uffff', '\u{1f600}')).toBeLessThan(0)
  })
})
