import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { digestBytes, hexDigest, md5Digest, shortDigest } from '#lib/digests.ts'

it('digests are those of FIPS 180 and RFC 1321', () => {
  expect(hexDigest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(hexDigest('abc', 12)).toBe('ba7816bf8f01')
  expect(shortDigest('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0')
  expect(shortDigest('abc', 22)).toBe('ungWv48Bz-pBQUDeXa4iI7')
  expect(md5Digest('abc')).toBe('900150983cd24fb0d6963f7d28e17f72')
})

it('a text has the digest of its bytes, whatever it holds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), text => {
      const whole = createHash('sha256').update(text).digest()
      expect(digestBytes(text)).toEqual(whole)
      expect(hexDigest(Buffer.from(text))).toBe(whole.toString('hex'))
      expect(shortDigest(text)).toBe(whole.toString('base64url'))
    }),
    { numRuns: 30 },
  )
})
