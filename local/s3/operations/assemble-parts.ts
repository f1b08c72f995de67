import { createHash } from 'node:crypto'
import { describeChecksums, startChecksum } from '../body/checksums.ts'
import { combineChecksums } from '../body/combine-crc.ts'
import { tooSmall } from '../body/receive-body.ts'
import { S3Error } from '../errors.ts'
import type { ObjectDescription, StoredPart } from '../storage/stored-object.ts'

/** A part as a Complete request lists it. */
export interface ListedPart {
  number: number
  /** Without quotes. */
  etag: string
  /** By their elements, such as `ChecksumCRC32`. */
  checksums: Readonly<Record<string, string | undefined>>
}

// S3 User Guide, "Multipart upload limits": 5 MiB for every part but the last.
const leastPartBytes = 5 * 1024 ** 2

/**
 * The object made of the listed parts: where each begins, and size, ETag and checksum of the whole. Pure.
 *
 * Throws InvalidPartOrder, InvalidPart and EntityTooSmall as S3 does.
 */
export const assembleParts = (
  stored: readonly StoredPart[],
  listed: readonly ListedPart[],
  description: ObjectDescription,
) => {
  const parts = findParts(stored, listed)
  requireChecksums(listed, description)
  const small = parts.slice(0, -1).find(({ size }) => size < leastPartBytes)
  if (small !== undefined)
    throw tooSmall(small.size, leastPartBytes, { PartNumber: String(small.number), ETag: small.etag })

  let size = 0
  const placed = parts.map(part => {
    const start = size
    size += part.size
    return { ...part, start }
  })
  return { parts: placed, size, etag: joinTags(parts), description: withChecksum(description, parts) }
}

const findParts = (stored: readonly StoredPart[], listed: readonly ListedPart[]): StoredPart[] => {
  const isInOrder = listed.every(({ number }, index) => number > (listed[index - 1]?.number ?? 0))
  if (!isInOrder) throw new S3Error('InvalidPartOrder')
  const byNumber = new Map(stored.map(part => [part.number, part]))
  return listed.map(entry => {
    const part = byNumber.get(entry.number)
    if (part === undefined || !isSamePart(part, entry))
      throw new S3Error('InvalidPart', undefined, { PartNumber: String(entry.number), ETag: entry.etag })
    return part
  })
}

const isSamePart = (part: StoredPart, { etag, checksums }: ListedPart): boolean => {
  const known = describeChecksums(part.checksums)
  return (
    part.etag === etag &&
    Object.entries(checksums).every(([name, value]) => (value ?? known[name]) === known[name])
  )
}

/** For a composite checksum the client must name the checksum of each part. */
const requireChecksums = (listed: readonly ListedPart[], { checksum }: ObjectDescription): void => {
  if (checksum?.type !== 'COMPOSITE') return
  const without = listed.find(({ checksums }) => checksums[`Checksum${checksum.algorithm}`] === undefined)
  if (without !== undefined)
    throw new S3Error(
      'InvalidRequest',
      `The ${checksum.algorithm} of part ${without.number} is missing in the request.`,
    )
}

/** The ETag of an object made of parts: the MD5 of their MD5s, and the number of parts. */
const joinTags = (parts: readonly StoredPart[]): string => {
  const md5 = createHash('md5')
  for (const { etag } of parts) md5.update(Buffer.from(etag, 'hex'))
  return `${md5.digest('hex')}-${parts.length}`
}

const withChecksum = (description: ObjectDescription, parts: readonly StoredPart[]): ObjectDescription => {
  const { checksum } = description
  if (checksum === undefined) return description
  const pieces = parts.map(({ checksums, size }) => {
    const value = checksums[checksum.algorithm]
    if (value === undefined) throw new Error('A part was stored without the checksum of its upload')
    return { value, size }
  })
  if (checksum.type === 'FULL_OBJECT')
    return { ...description, checksum: { ...checksum, value: combineChecksums(checksum.algorithm, pieces) } }
  const composite = startChecksum(checksum.algorithm)
  for (const { value } of pieces) composite.update(Buffer.from(value, 'base64'))
  return { ...description, checksum: { ...checksum, value: `${composite.digest()}-${parts.length}` } }
}
