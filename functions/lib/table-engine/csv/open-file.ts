import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { UserError } from '../../errors/errors.ts'
import { FORM_BYTES, formOf } from './file-forms.ts'
import { type JsonRows, rowsOfJson } from './rows-of-json.ts'

/** The uncompressed content of a data file. */
export interface OpenedFile {
  bytes: AsyncIterable<Uint8Array>
  /** Of JSON, in place of its bytes. */
  rows: () => AsyncGenerator<JsonRows>
  isCompressed: boolean
  /** `undefined`: there are no bytes. */
  form: 'csv' | 'json' | 'parquet' | undefined
  /** Gives up a file whose bytes were not all read. */
  close: () => Promise<void>
}

/**
 * A compressed file may expand to 1 GiB plus 100 times its size. No real export is packed tighter, while a "zip bomb"
 * of 10 MB (the format allows a factor of about 1,030) would keep a function busy until it times out.
 */
const MAX_UNCOMPRESSED_BYTES = 1024 ** 3
const MAX_COMPRESSION_RATIO = 100

/**
 * Uncompresses a file if it is gzip, which it detects by the content, as it does Parquet and JSON.
 *
 * Throws `UserError` `invalidCsv`, at once or during reading: for archives and other formats, and for gzip that is
 * truncated, damaged, followed by something else, or a bomb. `source` names the file in messages.
 */
export const openFile = async (
  file: AsyncIterable<Uint8Array>,
  source = 'The file',
  maxUncompressedBytes = MAX_UNCOMPRESSED_BYTES,
): Promise<OpenedFile> => {
  const plain = await peek(file, FORM_BYTES)
  if (formOf(plain.head).kind !== 'gzip') return { ...readForm(plain, source), isCompressed: false }
  const uncompressed = await peek(gunzip(plain.rest, source, maxUncompressedBytes), FORM_BYTES)
  return { ...readForm(uncompressed, source), isCompressed: true }
}

const FORMS = { CSV: 'csv', 'JSON lines': 'json', JSON: 'json', Parquet: 'parquet' } as const

const readForm = (
  { head, rest, close }: Awaited<ReturnType<typeof peek>>,
  source: string,
): Omit<OpenedFile, 'isCompressed'> => {
  const { kind, name, refused } = formOf(head)
  if (kind === 'gzip' || kind === 'other')
    throw new UserError('invalidCsv', `${source} ${refused ?? `is ${name} twice. Uncompress it once.`}`)
  const form = head.length === 0 ? undefined : FORMS[kind]
  const rows = () => rowsOfJson(rest, { source, isList: kind === 'JSON' })
  return { bytes: rest, rows, form, close }
}

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
  if (output.bytesWritten < bytesWithoutPadding) {
    throw brokenGzip(source, `followed by other data from byte ${output.bytesWritten}`)
  }
}

const brokenGzip = (source: string, state: string, cause?: unknown): UserError =>
  new UserError(
    'invalidCsv',
    `${source} is compressed with gzip, but the compressed data is ${state}. Compress and upload it again.`,
    { cause },
  )
