import { createHash } from 'node:crypto'
import { type ChecksumAlgorithm, startChecksum } from '../body/checksums.ts'
import { combineCrcs } from '../body/combine-crc.ts'
import { S3Error } from '../errors.ts'
import type { ObjectDescription, StoredPart } from '../storage/stored-object.ts'

/** A part as a Complete request lists it. */
export interface ListedPart {
  number: number
  /** Without quotes. */
  etag: string
  checksums: Partial<Record<ChecksumAlgorithm, string>>
}

interface Assembled {
  parts: StoredPart[]
  size: number
  etag: string
  description: ObjectDescription
}

// S3 User Guide, "Multipart upload limits": 5 MiB for every part but the last; 48.8 TiB for an object.
const leastPartBytes = 5 * 1024 ** 2
const mostObjectBytes = 10_000 * 5 * 1024 ** 3

/**
 * The object made of the listed parts: where each begins, and size, ETag and checksum of the whole. Pure.
 *
 * Throws InvalidPartOrder, InvalidPart, EntityTooSmall and EntityTooLarge as S3 does.
 */
export const assembleParts = (
  stored: readonly StoredPart[],
  listed: readonly ListedPart[],
  description: ObjectDescription,
): Assembled => {
  const parts = findParts(stored, listed)
  for (const entry of listed) requireChecksum(entry, description)
  const tooSmall = parts.slice(0, -1).find(({ size }) => size < leastPartBytes)
  if (tooSmall !== undefined) throw partTooSmall(tooSmall)

  let size = 0
  const placed = parts.map(part => {
    const start = size
    size += part.size
    return { ...part, start }
  })
  if (size > mostObjectBytes) throw new S3Error('EntityTooLarge')
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

const isSamePart = (part: StoredPart, entry: ListedPart): boolean =>
  part.etag === entry.etag &&
  Object.entries(entry.checksums).every(
    ([algorithm, value]) => part.checksums[algorithm as ChecksumAlgorithm] === value, // the keys are algorithms
  )

/** For a composite checksum the client must name the checksum of each part. */
const requireChecksum = (entry: ListedPart, { checksum }: ObjectDescription): void => {
  if (checksum?.type === 'COMPOSITE' && entry.checksums[checksum.algorithm] === undefined)
    throw new S3Error(
      'InvalidRequest',
      `The upload was created using a ${checksum.algorithm.toLowerCase()} checksum. The complete request must include the checksum for each part. It was missing for part ${entry.number} in the request.`,
    )
}

const partTooSmall = (part: StoredPart): S3Error =>
  new S3Error('EntityTooSmall', undefined, {
    ProposedSize: String(part.size),
    MinSizeAllowed: String(leastPartBytes),
    PartNumber: String(part.number),
    ETag: part.etag,
  })

/** The ETag of an object made of parts: the MD5 of their MD5s, and the number of parts. */
const joinTags = (parts: readonly StoredPart[]): string => {
  const md5 = createHash('md5')
  for (const { etag } of parts) md5.update(Buffer.from(etag, 'hex'))
  return `${md5.digest('hex')}-${parts.length}`
}

const withChecksum = (description: ObjectDescription, parts: readonly StoredPart[]): ObjectDescription => {
  const { checksum } = description
  if (checksum === undefined) return description
  const values = parts.map(part => {
    const value = part.checksums[checksum.algorithm]
    if (value === undefined) throw new Error('A part was stored without the checksum of its upload')
    return { value, size: part.size }
  })
  const value =
    checksum.type === 'COMPOSITE'
      ? compositeChecksum(
          checksum.algorithm,
          values.map(({ value }) => value),
        )
      : combineCrcs(checksum.algorithm, values)
  return { ...description, checksum: { ...checksum, value } }
}

const compositeChecksum = (algorithm: ChecksumAlgorithm, values: readonly string[]): string => {
  const checksum = startChecksum(algorithm)
  for (const value of values) checksum.update(Buffer.from(value, 'base64'))
  const digest = checksum.digest()
  if (typeof digest !== 'string') throw new Error(`${algorithm} has no composite form`)
  return `${digest}-${values.length}`
}
