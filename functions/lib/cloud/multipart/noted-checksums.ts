import type { StoredPart } from './multipart-upload.ts'

/**
 * Listed parts with the checksums that S3 answered when they were written, where the list has none: not every service
 * lists them. A note counts only for the part that it was written for, known by its ETag; one of an earlier attempt
 * whose part was replaced does not.
 */
export const withNotedChecksums = (
  listed: readonly StoredPart[],
  noted: readonly StoredPart[],
): StoredPart[] => {
  const nameOf = ({ partNumber, etag }: StoredPart): string => `${partNumber} ${etag}`
  const checksums = new Map(noted.map(part => [nameOf(part), part.checksum]))
  return listed.map(part => (part.checksum ? part : { ...part, checksum: checksums.get(nameOf(part)) }))
}

export const lackChecksums = (parts: readonly StoredPart[]): boolean =>
  parts.some(({ checksum }) => !checksum)
