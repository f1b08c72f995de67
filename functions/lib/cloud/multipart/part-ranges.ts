import { UserError } from '../../errors/errors.ts'

/** S3 User Guide, "Amazon S3 multipart upload limits". */
export const MAX_PARTS = 10_000
export const MIN_PART_BYTES = 5 * 1024 ** 2
export const MAX_PART_BYTES = 5 * 1024 ** 3
export const MAX_OBJECT_BYTES = MAX_PARTS * MAX_PART_BYTES

/** One part: `firstByte` to `lastByte`, both included, as in an HTTP range. Part numbers start at 1. */
export interface PartRange {
  partNumber: number
  firstByte: number
  lastByte: number
}

/**
 * Cuts an object of `totalBytes` into parts of `partBytes`, or larger ones when there would be more than S3 allows.
 *
 * Covers every byte once, in order. Only the last part may be smaller than the others. An empty object has no parts.
 * Throws `UserError` above S3's largest object.
 */
export const partRanges = (totalBytes: number, partBytes: number): PartRange[] => {
  refuseLarger(totalBytes, MAX_OBJECT_BYTES)
  const size = Math.max(partBytes, MIN_PART_BYTES, Math.ceil(totalBytes / MAX_PARTS))
  return Array.from({ length: Math.ceil(totalBytes / size) }, (_, index) => ({
    partNumber: index + 1,
    firstByte: index * size,
    lastByte: Math.min(totalBytes, (index + 1) * size) - 1,
  }))
}

/** `most`: bytes that the object may have. */
export const refuseLarger = (bytes: number, most: number): void => {
  if (bytes > most)
    throw new UserError(
      'multipart.tooLarge',
      `${bytes} bytes are more than one S3 object can hold (${most}).`,
    )
}
