import type { SourceObject } from '../cloud/multipart/source-object.ts'
import { UserError } from '../errors/errors.ts'
import { isGzip } from '../storage/files/list-slices.ts'

/** What is known of a load before it is accepted. */
export interface AcceptedLoads {
  /** A load of more stored bytes outgrows one function. */
  singleLoadBytes: number
  gzip: GzipLimits
}

/** As stored. */
export const storedBytes = (slices: readonly Pick<SourceObject, 'bytes'>[]): number =>
  slices.reduce((sum, { bytes }) => sum + bytes, 0)

/**
 * Refuses at once what its job would refuse later: in a load that outgrows one function, a compressed slice by its own
 * size, since gzip cannot be cut. Reads two bytes of each slice that is larger than that. Throws `UserError`
 * `storage.load.sliceTooLarge`.
 */
export const refuseTooLarge = async (
  slices: readonly SourceObject[],
  limits: AcceptedLoads,
): Promise<void> => {
  if (storedBytes(slices) <= limits.singleLoadBytes) return
  for (const [index, slice] of slices.entries()) {
    if (slice.bytes <= limits.gzip.compressedBytes || !(await isGzip([slice]))) continue
    const what = slices.length === 1 ? 'The file' : `Slice ${index + 1} of ${slices.length}`
    throw sliceTooLarge(what, `has ${slice.bytes} bytes`, limits.gzip)
  }
}

const GiB = 1024 ** 3

/** What one function uncompresses of one slice in its fifteen minutes, at some 70 MB a second. Tests make them small. */
export interface GzipLimits {
  /** As stored: known before anything is read. */
  compressedBytes: number
  /** Few bytes can become very many. */
  uncompressedBytes: number
}

export const GZIP_LIMITS: GzipLimits = { compressedBytes: 10 * GiB, uncompressedBytes: 56 * GiB }

/** `what`: "The file", or the slice by its name. */
export const sliceTooLarge = (what: string, how: string, limits: Readonly<GzipLimits>): UserError =>
  new UserError(
    'storage.load.sliceTooLarge',
    `${what} ${how}. Gzip cannot be cut, and one function uncompresses ${limits.compressedBytes} bytes of gzip, or ` +
      `${limits.uncompressedBytes} bytes of CSV. Upload it uncompressed, or as several slices.`,
    { params: { ...limits } },
  )
