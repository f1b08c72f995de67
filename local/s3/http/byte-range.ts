import { invalidArgument, S3Error } from '../errors.ts'

/** Offsets of the first and the last byte, both included. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * Reads a Range header against an object of `size` bytes (RFC 9110, 14.1.2).
 *
 * `a-b`, `a-` and `-n`, cut off at the end of the object. Undefined means the whole object: without a header and, as S3
 * does, for other units and several ranges. Throws InvalidRange when the range lies outside of the object.
 */
export const parseRange = (header: string | undefined, size: number): ByteRange | undefined => {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from === '') {
    const length = Math.min(Number(to), size)
    if (length === 0) throw unsatisfiable(header, size)
    return { first: size - length, last: size - 1 }
  }
  if (to !== '' && Number(to) < Number(from)) return undefined
  if (Number(from) >= size) throw unsatisfiable(header, size)
  return { first: Number(from), last: to === '' ? size - 1 : Math.min(Number(to), size - 1) }
}

/** Reads `x-amz-copy-source-range`, which is strict: `bytes=a-b` that lies within the source, or InvalidArgument. */
export const parseCopyRange = (header: string, size: number): ByteRange => {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(header) ?? []
  if (Number(from) <= Number(to) && Number(to) < size) return { first: Number(from), last: Number(to) }
  throw invalidArgument(
    `The range must have the form bytes=first-last and lie within the source, which has ${size} bytes`,
    'x-amz-copy-source-range',
    header,
  )
}

const unsatisfiable = (header: string | undefined, size: number): S3Error =>
  new S3Error(
    'InvalidRange',
    undefined,
    { RangeRequested: header ?? '', ActualObjectSize: String(size) },
    // RFC 9110, 15.5.17: a 416 says how long the object is.
    { 'content-range': `bytes */${size}` },
  )
