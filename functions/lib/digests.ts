import { hash, timingSafeEqual } from 'node:crypto'

type Content = string | Uint8Array

/** SHA-256. */
export const digestBytes = (content: Content): Buffer => hash('sha256', content, 'buffer')

/** SHA-256 in hexadecimal digits, or the first `digits` of them. Stored names and keys are made of it: it never changes. */
export const hexDigest = (content: Content, digits?: number): string =>
  hash('sha256', content, 'hex').slice(0, digits)

/** SHA-256 in base64url, or its first `letters`: 22 are 128 bits. Stored, too. */
export const shortDigest = (content: Content, letters?: number): string =>
  hash('sha256', content, 'base64url').slice(0, letters)

/** MD5 in hexadecimal digits: S3's ETags, and names of columns as the field knows them. */
export const md5Digest = (content: Content): string => hash('md5', content, 'hex')

/** Whether two texts are the same, in a time that says nothing of where they differ. */
export const isSameText = (one: string, other: string): boolean => {
  const [ours, theirs] = [Buffer.from(one), Buffer.from(other)]
  return ours.length === theirs.length && timingSafeEqual(ours, theirs)
}
