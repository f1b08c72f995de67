import { S3Error } from '../errors.ts'

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
  if (from === undefined || to === undefined || Number(from) > Number(to))
    throw new S3Error(
      'InvalidArgument',
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
      { ArgumentName: 'x-amz-copy-source-range', ArgumentValue: header },
    )
  if (Number(to) >= size)
    throw new S3Error('InvalidArgument', `Range specified is not valid for source object of size: ${size}`, {
      ArgumentName: 'x-amz-copy-source-range',
      ArgumentValue: header,
    })
  return { first: Number(from), last: Number(to) }
}

const unsatisfiable = (header: string | undefined, size: number): S3Error =>
  new S3Error('InvalidRange', undefined, {
    RangeRequested: header ?? '',
    ActualObjectSize: String(size),
  })
