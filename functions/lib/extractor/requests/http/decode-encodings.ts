import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzip,
  inflate,
  inflateRaw,
  type ZlibOptions,
  zstdDecompress,
} from 'node:zlib'
import { UserError } from '#lib/errors/errors.ts'
import { tooLarge } from '../answers/http-response.ts'
import { NetworkFailure } from './network-failure.ts'

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: (body: Buffer, options: ZlibOptions) =>
    (isZlib(body) ? promisify(inflate) : promisify(inflateRaw))(body, options),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const

const fileDecoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const

/** RFC 1950, 2.2. Some servers send "deflate" without that header (RFC 9110, 8.4.1.2). */
const isZlib = ([first = 0, second = 0]: Buffer): boolean =>
  (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0

/** Encodings that we ask for, best first. */
export const acceptEncoding = 'gzip, br'

/**
 * Undoes the content encodings of a body. `limitBytes` holds for what it unpacks to.
 *
 * @throws UserError `extractor.response.tooLarge`
 * @throws NetworkFailure when the compressed data is damaged
 */
export const decodeEncodings = async (
  received: Buffer,
  field: string | undefined,
  limitBytes: number,
): Promise<Buffer> => {
  let body = received
  for (const encoding of encodings(field)) {
    if (body.length === 0) break
    try {
      body = await decoders[encoding](body, { maxOutputLength: limitBytes })
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes) // zlib throws Errors with codes
      throw damaged(encoding, cause)
    }
  }
  return body
}

/** As `decodeEncodings`, for a body in a file: the file then holds the decoded body. */
export const decodeFile = async (
  file: string,
  field: string | undefined,
  limitBytes: number,
): Promise<void> => {
  for (const encoding of encodings(field)) {
    const decoded = `${file}.decoded`
    let bytes = 0
    const limited = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        bytes += chunk.length
        if (bytes > limitBytes) throw tooLarge(limitBytes)
        yield chunk
      }
    }
    try {
      await pipeline(createReadStream(file), fileDecoders[encoding](), limited, createWriteStream(decoded))
    } catch (cause) {
      await rm(decoded, { force: true })
      await rm(file, { force: true })
      if (cause instanceof UserError) throw cause
      throw damaged(encoding, cause)
    }
    await rename(decoded, file)
  }
}

/** What ends before it is complete was cut short on its way, whatever the server says of its length. */
const damaged = (encoding: string, cause: unknown): NetworkFailure =>
  (cause as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' // as above
    ? new NetworkFailure(18, `Response body ends in the middle of its ${encoding}`, { cause })
    : new NetworkFailure(61, `Response body is not valid ${encoding}`, { cause })

/** Applied encodings, last applied first (RFC 9110, 8.4). Unknown ones are left alone. */
const encodings = (field: string | undefined): (keyof typeof decoders)[] =>
  field === undefined
    ? []
    : (field
        .split(',')
        .map(name => name.trim().toLowerCase())
        .filter(name => Object.hasOwn(decoders, name))
        .reverse() as (keyof typeof decoders)[]) // filtered to the decoders' own names
