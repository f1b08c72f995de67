import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { combineCrc32, formatCrc32, parseCrc32 } from '#lib/aws/multipart/combine-crc32.ts'

it('two checksums make that of the whole', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000 }), fc.uint8Array({ maxLength: 3000 }), (first, second) => {
      const whole = crc32(Buffer.concat([first, second]))
      expect(combineCrc32(crc32(first), crc32(second), second.length)).toBe(whole)
    }),
  )
})

it('lengths beyond 32 bits count in full', () => {
  const [a, b, c] = [0x12345678, 0x9abcdef0, 0x0fedcba9]
  const [middle, end] = [5 * 1024 ** 3, 48 * 1024 ** 4]
  const fromLeft = combineCrc32(combineCrc32(a, b, middle), c, end)
  const fromRight = combineCrc32(a, combineCrc32(b, c, end), middle + end)
  expect(fromLeft).toBe(fromRight)
})

it('is written as S3 writes it', () => {
  // The check value of CRC-32: of the digits 1 to 9.
  expect(formatCrc32(crc32('123456789'))).toBe('y/Q5Jg==')
  expect(parseCrc32('y/Q5Jg==')).toBe(crc32('123456789'))
})
