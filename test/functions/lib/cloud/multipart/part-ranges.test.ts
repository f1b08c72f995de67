import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_OBJECT_BYTES, MAX_PARTS, MIN_PART_BYTES, partRanges } from '#lib/cloud/multipart/part-ranges.ts'
import { UserError } from '#lib/errors/errors.ts'

const MiB = 1024 ** 2

describe('part ranges', () => {
  it('an empty object has none', () => {
    expect(partRanges(0, 16 * MiB)).toEqual([])
  })

  it('the last part takes the rest', () => {
    expect(partRanges(20 * MiB, 16 * MiB)).toEqual([
      { partNumber: 1, firstByte: 0, lastByte: 16 * MiB - 1 },
      { partNumber: 2, firstByte: 16 * MiB, lastByte: 20 * MiB - 1 },
    ])
  })

  it('more than S3 can hold is refused', () => {
    expect(() => partRanges(MAX_OBJECT_BYTES + 1, 16 * MiB)).toThrow(UserError)
  })

  it('every byte once and in order, within the limits of S3', () => {
    const totalBytes = fc.oneof(
      fc.integer({ min: 1, max: 1024 * MiB }),
      fc.integer({ min: 1, max: MAX_OBJECT_BYTES }),
    )
    fc.assert(
      fc.property(totalBytes, fc.integer({ min: 1, max: 64 * MiB }), (total, partBytes) => {
        const ranges = partRanges(total, partBytes)
        expect(ranges.length).toBeLessThanOrEqual(MAX_PARTS)
        const isWhole = ranges.every(
          ({ partNumber, firstByte }, index) =>
            partNumber === index + 1 &&
            firstByte === (index === 0 ? 0 : (ranges[index - 1]?.lastByte ?? 0) + 1),
        )
        const isLargeEnough = ranges
          .slice(0, -1)
          .every(({ firstByte, lastByte }) => lastByte - firstByte + 1 >= MIN_PART_BYTES)
        expect(isWhole && isLargeEnough).toBe(true)
        expect(ranges.at(-1)?.lastByte).toBe(total - 1)
      }),
      { numRuns: 50 },
    )
  })
})
