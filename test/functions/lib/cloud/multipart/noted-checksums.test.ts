import { expect, it } from 'vitest'
import { lackChecksums, withNotedChecksums } from '#lib/cloud/multipart/noted-checksums.ts'

const part = (partNumber: number, etag: string, checksum?: string) => ({
  partNumber,
  etag,
  bytes: 5,
  checksum,
})

it('a listed checksum stays, and a missing one is that of the note', () => {
  const listed = [part(1, 'a', 'listed'), part(2, 'b')]
  expect(withNotedChecksums(listed, [part(1, 'a', 'noted'), part(2, 'b', 'noted')])).toEqual([
    part(1, 'a', 'listed'),
    part(2, 'b', 'noted'),
  ])
})

it('a note of a part that was replaced, or of another number, does not count', () => {
  const listed = [part(1, 'new'), part(2, 'b')]
  const parts = withNotedChecksums(listed, [part(1, 'old', 'noted'), part(3, 'b', 'noted')])
  expect(parts).toEqual(listed)
  expect(lackChecksums(parts)).toBe(true)
})
