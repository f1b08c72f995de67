import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { UserError } from '../../errors/errors.ts'

/**
 * A compressed file may expand to 1 GiB plus 100 times its size. No real export is packed tighter, while a "zip bomb"
 * of 10 MB (the format allows a factor of about 1,030) would keep a function busy until it times out.
 */
const MAX_UNCOMPRESSED_BYTES = 1024 ** 3
const MAX_COMPRESSION_RATIO = 100

interface GunzipOptions {
  maxUncompressedBytes?: number | undefined
  /** `false`: zeros behind the last member are refused, since most readers stop at them and another member shall follow. */
  isPadded?: boolean
}

/**
 * Expands gzip. Several members in a row are one file (RFC 1952, section 2.2). Throws `UserError` `invalidCsv`, with `source` as the name of
 * the file, for data that is cut off, damaged, followed by something else, or a bomb.
 */
export async function* gunzip(
  file: AsyncIterable<Uint8Array>,
  source: string,
  { maxUncompressedBytes = MAX_UNCOMPRESSED_BYTES, isPadded = true }: GunzipOptions = {},
): AsyncGenerator<Uint8Array> {
  let compressedBytes = 0
  /** Zeros behind the last member are padding. */
  let bytesWithoutPadding = 0
  let failure: unknown
  const count = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for await (const bytes of file) {
        const last = bytes.findLastIndex(byte => byte !== 0)
        if (last !== -1) bytesWithoutPadding = compressedBytes + last + 1
        compressedBytes += bytes.length
        // A copy: a stream reads ahead, and the next piece may overwrite this one.
        yield Buffer.from(bytes)
      }
    } catch (error) {
      failure = error
      throw error
    }
  }
  const input = Readable.from(count(), { objectMode: false, highWaterMark: 1 << 20 })
  const output = createGunzip({ chunkSize: 1 << 20 })
  input.on('error', error => output.destroy(error))
  input.pipe(output)
  let uncompressedBytes = 0
  try {
    for await (const bytes of output) {
      uncompressedBytes += bytes.length
      if (uncompressedBytes > maxUncompressedBytes + MAX_COMPRESSION_RATIO * compressedBytes) {
        throw new UserError(
          'invalidCsv',
          `${source} becomes more than ${MAX_COMPRESSION_RATIO} times larger when it is uncompressed. Upload it uncompressed.`,
        )
      }
      yield bytes
    }
    input.unpipe(output)
    if (!input.readableEnded) for await (const _ of input); // Counts what follows the last member.
  } catch (error) {
    if (failure !== undefined || error instanceof UserError) throw failure ?? error
    const isCutOff = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR'
    throw brokenGzip(source, isCutOff ? 'cut off' : 'broken', error)
  } finally {
    input.destroy()
    output.destroy()
  }
  if (output.bytesWritten < (isPadded ? bytesWithoutPadding : compressedBytes)) {
    throw brokenGzip(source, `followed by other data from byte ${output.bytesWritten}`)
  }
}

const brokenGzip = (source: string, state: string, cause?: unknown): UserError =>
  new UserError(
    'invalidCsv',
    `${source} is compressed with gzip, but the compressed data is ${state}. Compress and upload it again.`,
    { cause },
  )
