import { UserError } from '../errors/errors.ts'

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
