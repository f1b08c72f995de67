import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { combineCrc32, formatCrc32, parseCrc32 } from '#lib/combine-crc.ts'

it('two checksums make that of the whole', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000 }), fc.uint8Array({ maxLength: 3000 }), (first, second) => {
      const whole = crc32(Buffer.concat([first, second]))
      expect(combineCrc32([first, second].map(part => ({ crc: crc32(part), bytes: part.length })))).toBe(
        whole,
      )
    }),
  )
})

it('lengths beyond 32 bits count in full', () => {
  const a = { crc: 0x12345678, bytes: 0 }
  const b = { crc: 0x9abcdef0, bytes: 5 * 1024 ** 3 }
  const c = { crc: 0x0fedcba9, bytes: 48 * 1024 ** 4 }
  const fromLeft = combineCrc32([a, b, c])
  const fromRight = combineCrc32([a, { crc: combineCrc32([b, c]), bytes: b.bytes + c.bytes }])
  expect(fromLeft).toBe(fromRight)
})

it('is written as S3 writes it', () => {
  // The check value of CRC-32: of the digits 1 to 9.
  expect(formatCrc32(crc32('123456789'))).toBe('y/Q5Jg==')
  expect(parseCrc32('y/Q5Jg==')).toBe(crc32('123456789'))
})
