import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FieldType } from '#lib/iceberg/metadata/types.ts'
import { parseValue, serializeValue, truncateLower, truncateUpper } from '#lib/iceberg/values/bounds.ts'

describe('a single value in binary form', () => {
  const examples: [FieldType, string, string][] = [
    ['boolean', 'true', '01'],
    ['boolean', 'false', '00'],
    ['long', '34', '2200000000000000'],
    ['double', '1', '000000000000f03f'],
    ['date', '1970-01-02', '01000000'],
    ['date', '1969-12-31', 'ffffffff'],
    ['timestamp', '1970-01-01T00:00:01.000000', '40420f0000000000'],
    ['timestamptz', '1969-12-31T23:59:59.999999Z', 'ffffffffffffffff'],
    ['string', 'iceberg', '69636562657267'],
    ['decimal(9,2)', '14.20', '058c'],
    ['decimal(9,2)', '-1.28', '80'],
    ['decimal(38,0)', '128', '0080'],
  ]

  it.each(examples)('of type %s: %s is %s, and is read back', (type, value, hex) => {
    expect(serializeValue(type, value).toString('hex')).toBe(hex)
    expect(parseValue(type, Buffer.from(hex, 'hex'))).toBe(value)
  })

  it('of a timestamp keeps every microsecond', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -62_135_596_800_000_000n, max: 253_402_300_799_999_999n }), micros => {
        const bytes = Buffer.alloc(8)
        bytes.writeBigInt64LE(micros)
        expect(serializeValue('timestamptz', parseValue('timestamptz', bytes))).toEqual(bytes)
      }),
    )
  })

  it('of a decimal keeps every digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }), unscaled => {
        const text = String(unscaled)
        expect(parseValue('decimal(38,0)', serializeValue('decimal(38,0)', text))).toBe(text)
      }),
    )
  })
})

describe('a truncated bound', () => {
  const inUtf8 = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right))

  it('is 16 code points long at most, and still a bound', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), text => {
        const lower = truncateLower(text)
        const upper = truncateUpper(text)
        expect([...lower].length).toBeLessThanOrEqual(16)
        expect(inUtf8(lower, text)).toBeLessThanOrEqual(0)
        if (upper === undefined) return
        expect([...upper].length).toBeLessThanOrEqual(16)
        expect(inUtf8(upper, text)).toBeGreaterThanOrEqual(0)
      }),
    )
  })

  it.each([
    ['0123456789abcdef', '0123456789abcdef'],
    ['0123456789abcdefg', '0123456789abcdeg'],
    [`${'a'.repeat(15)}\u{10ffff}z`, `${'a'.repeat(14)}b`],
    [`${'a'.repeat(15)}\ud7ffz`, `${'a'.repeat(15)}\ue000`],
    [`${'😀'.repeat(16)}z`, `${'😀'.repeat(15)}😁`],
  ])('above %j is %j', (text, bound) => {
    expect(truncateUpper(text)).toBe(bound)
  })

  it('above the greatest characters does not exist', () => {
    expect(truncateUpper('\u{10ffff}'.repeat(17))).toBeUndefined()
  })
})
