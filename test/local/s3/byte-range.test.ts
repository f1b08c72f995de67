import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCopyRange, parseRange } from '#local/s3/http/byte-range.ts'

describe('parseRange', () => {
  it.each([
    ['bytes=0-4', { first: 0, last: 4 }],
    ['bytes=3-', { first: 3, last: 9 }],
    ['bytes=-3', { first: 7, last: 9 }],
    ['bytes=0-99', { first: 0, last: 9 }],
    ['bytes=-99', { first: 0, last: 9 }],
    ['bytes=9-9', { first: 9, last: 9 }],
  ])('reads %s of ten bytes', (header, range) => {
    expect(parseRange(header, 10)).toEqual(range)
  })

  it.each([undefined, '', 'bytes=', 'bytes=-', 'lines=1-2', 'bytes=5-2', 'bytes=0-1,3-4', 'bytes=a-b'])(
    'takes %s for the whole object',
    header => {
      expect(parseRange(header, 10)).toBeUndefined()
    },
  )

  it.each([
    ['bytes=10-', 10],
    ['bytes=10-12', 10],
    ['bytes=-0', 10],
    ['bytes=0-', 0],
    ['bytes=-5', 0],
  ])('refuses %s of %i bytes', (header, size) => {
    expect(() => parseRange(header, size)).toThrow(
      expect.objectContaining({ code: 'InvalidRange', status: 416 }),
    )
  })

  it('equals slicing the bytes', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(bytes, fc.nat(60), fc.nat(60), (content, a, b) => {
        const slice = (header: string): number[] | undefined => {
          try {
            const range = parseRange(header, content.length)
            return range === undefined ? undefined : [...content.subarray(range.first, range.last + 1)]
          } catch {
            return undefined
          }
        }
        const all = [...content]
        const some = (numbers: number[]): number[] | undefined => (numbers.length === 0 ? undefined : numbers)
        expect(slice(`bytes=${a}-`)).toEqual(some(all.slice(a)))
        expect(slice(`bytes=-${b}`)).toEqual(some(b === 0 ? [] : all.slice(-b)))
        expect(slice(`bytes=${a}-${b}`)).toEqual(b < a ? undefined : some(all.slice(a, b + 1)))
      }),
    )
  })
})

describe('parseCopyRange', () => {
  it('accepts a range inside the source', () => {
    expect(parseCopyRange('bytes=2-9', 10)).toEqual({ first: 2, last: 9 })
  })
  it.each(['bytes=2-10', 'bytes=2-', 'bytes=-2', '2-3', 'bytes=3-2'])('refuses %s of ten bytes', header => {
    expect(() => parseCopyRange(header, 10)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
  })
})
