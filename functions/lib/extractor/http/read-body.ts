import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import { UserError } from '../../errors.ts'
import { NetworkFailure } from './network-failure.ts'

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const

/** Encodings that `readBody` can undo, best first. */
export const acceptEncoding = 'gzip, br'

/**
 * Reads a body into memory, undoing its content encodings. `limitBytes` holds for the bytes on the wire and for what
 * they unpack to.
 *
 * @throws UserError `extractor.response.tooLarge`
 * @throws NetworkFailure when the compressed data is damaged
 */
export const readBody = async (
  chunks: AsyncIterable<Uint8Array>,
  contentEncoding: string | undefined,
  limitBytes: number,
): Promise<Buffer> => {
  const received: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > limitBytes) throw tooLarge(limitBytes)
    received.push(chunk)
  }
  const only = received.length === 1 ? received[0] : undefined
  let body =
    only === undefined
      ? Buffer.concat(received, size)
      : Buffer.from(only.buffer, only.byteOffset, only.length)
  for (const encoding of encodings(contentEncoding)) {
    const decode = decoders[encoding]
    if (body.length === 0) break
    try {
      body = await decode(body, { maxOutputLength: limitBytes })
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes) // zlib throws Errors with codes
      throw new NetworkFailure(61, `Response body is not valid ${encoding}`, { cause })
    }
  }
  return body
}

/** Applied encodings, last applied first (RFC 9110, 8.4). Unknown ones are left alone. */
const encodings = (field: string | undefined): (keyof typeof decoders)[] =>
  (field ?? '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => Object.hasOwn(decoders, name))
    .reverse() as (keyof typeof decoders)[] // filtered to the decoders' own names

const tooLarge = (limitBytes: number): UserError =>
  new UserError(
    'extractor.response.tooLarge',
    `The response is larger than ${limitBytes} bytes ("api.http.bodyLimitBytes")`,
  )
