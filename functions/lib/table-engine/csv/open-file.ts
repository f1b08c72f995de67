import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { UserError } from '../../errors/errors.ts'
import { PARQUET } from '../parquet/signature.ts'

/** The uncompressed bytes of a data file. */
interface OpenedFile {
  bytes: AsyncIterable<Uint8Array>
  isCompressed: boolean
  /** The bytes are no CSV, but Parquet. */
  isParquet: boolean
  /** Gives up a file whose bytes were not all read. */
  close: () => Promise<void>
}

/**
 * A compressed file may expand to 1 GiB plus 100 times its size. No real export is packed tighter, while a "zip bomb"
 * of 10 MB (the format allows a factor of about 1,030) would keep a function busy until it times out.
 */
const MAX_UNCOMPRESSED_BYTES = 1024 ** 3
const MAX_COMPRESSION_RATIO = 100

const SIGNATURE_BYTES = 6
const GZIP = [0x1f, 0x8b]

/** Files that are not CSV, whatever their names, by their first bytes. */
const REFUSED: { name: string; signature: number[] }[] = [
  { name: 'a ZIP archive (or an Excel workbook)', signature: [0x50, 0x4b, 0x03, 0x04] },
  { name: 'an empty ZIP archive', signature: [0x50, 0x4b, 0x05, 0x06] },
  { name: 'compressed with bzip2', signature: [0x42, 0x5a, 0x68, 0x39, 0x31, 0x41] },
  { name: 'compressed with xz', signature: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { name: 'compressed with Zstandard', signature: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: 'a 7z archive', signature: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { name: 'an old Excel workbook', signature: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1] },
  { name: 'in UTF-16', signature: [0xff, 0xfe] },
  { name: 'in UTF-16', signature: [0xfe, 0xff] },
]

/** POSIX tar: the signature of the first header is at byte 257. */
const TAR_MAGIC = Buffer.from('ustar')
const TAR_MAGIC_OFFSET = 257

/**
 * Uncompresses a file if it is gzip, which it detects by the content, as it does Parquet.
 *
 * Throws `UserError` `invalidCsv`, at once or during reading: for archives and other formats, and for gzip that is
 * truncated, damaged, followed by something else, or a bomb. `source` names the file in messages.
 */
export const openFile = async (
  file: AsyncIterable<Uint8Array>,
  source = 'The file',
  maxUncompressedBytes = MAX_UNCOMPRESSED_BYTES,
): Promise<OpenedFile> => {
  const { head, rest, close } = await peek(file, SIGNATURE_BYTES)
  const refused = REFUSED.find(({ signature }) => startsWith(head, signature))
  if (refused) {
    throw new UserError(
      'invalidCsv',
      `${source} is ${refused.name}, not CSV. Upload it as plain CSV in UTF-8, or compressed with gzip.`,
    )
  }
  if (!startsWith(head, GZIP))
    return { bytes: rest, isCompressed: false, isParquet: startsWith(head, PARQUET), close }
  const uncompressed = await peek(gunzip(rest, source, maxUncompressedBytes), TAR_MAGIC_OFFSET + 5)
  const start = uncompressed.head
  if (start.subarray(TAR_MAGIC_OFFSET, TAR_MAGIC_OFFSET + 5).equals(TAR_MAGIC)) {
    throw new UserError('invalidCsv', `${source} is a tar archive. Compress the CSV file itself with gzip.`)
  }
  return {
    ...uncompressed,
    bytes: uncompressed.rest,
    isCompressed: true,
    isParquet: startsWith(start, PARQUET),
  }
}

const startsWith = (bytes: Buffer, signature: number[]): boolean =>
  signature.every((byte, index) => bytes[index] === byte)

/** The first `count` bytes (fewer in a smaller file), and the complete file. */
const peek = async (
  file: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ head: Buffer; rest: AsyncIterable<Uint8Array>; close: () => Promise<void> }> => {
  const iterator = file[Symbol.asyncIterator]()
  const pieces: Uint8Array[] = []
  let length = 0
  while (length < count) {
    const next = await iterator.next()
    if (next.done) break
    length += next.value.length
    // The next piece may overwrite this one.
    pieces.push(length < count ? Buffer.from(next.value) : next.value)
  }
  const resume = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  const close = async (): Promise<void> => {
    await iterator.return?.()
  }
  return { head: Buffer.concat(pieces, Math.min(length, count)), rest: resume(), close }
}

/** Several gzip members in a row are one file (RFC 1952, section 2.2). */
async function* gunzip(
  file: AsyncIterable<Uint8Array>,
  source: string,
  maxUncompressedBytes: number,
): AsyncGenerator<Uint8Array> {
  let compressedBytes = 0
  let failure: unknown
  const count = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for await (const bytes of file) {
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
  } catch (error) {
    if (failure !== undefined || error instanceof UserError) throw failure ?? error
    const isCutOff = error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR'
    throw brokenGzip(source, isCutOff ? 'cut off' : 'broken', error)
  } finally {
    input.destroy()
    output.destroy()
  }
  if (output.bytesWritten < compressedBytes) {
    throw brokenGzip(source, `followed by other data from byte ${output.bytesWritten}`)
  }
}

const brokenGzip = (source: string, state: string, cause?: unknown): UserError =>
  new UserError(
    'invalidCsv',
    `${source} is compressed with gzip, but the compressed data is ${state}. Compress and upload it again.`,
    { cause },
  )
