import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RFC_4180 } from '#lib/table-engine/csv/csv-dialect.ts'
import { formatRecord } from '#lib/table-engine/csv/format-records.ts'
import { parseRecords } from '#lib/table-engine/csv/parse-records.ts'

describe('parseRecords', () => {
  it('gives back what formatRecord was given', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }), { maxLength: 5 }),
        rows => {
          expect([...parseRecords(Buffer.from(rows.map(formatRecord).join('')), RFC_4180)]).toEqual(rows)
        },
      ),
    )
  })
})
