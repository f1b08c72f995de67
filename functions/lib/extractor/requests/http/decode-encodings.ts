import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { pipeline as piped } from 'node:stream/promises'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { UserError } from '#lib/errors/errors.ts'
import { damagedAnswer, type HttpResponse, messageOf, tooLarge } from '../answers/http-response.ts'
import { NetworkFailure } from './network-failure.ts'

type Bytes = AsyncIterable<Uint8Array>

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: (start: Uint8Array) => (isZlib(start) ? createInflate() : createInflateRaw()),
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
} as const

/** RFC 1950, 2.2. Some servers send "deflate" without that header (RFC 9110, 8.4.1.2). */
const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0

/** Encodings that we ask for, best first. */
export const acceptEncoding = 'gzip, br'

/**
 * A body, or the file that holds it, without its content encodings, and without gzip that nobody tells of: files come so, and neither JSON
 * nor CSV begins so. `limitBytes` holds for what each unpacks to.
 *
 * @throws UserError `extractor.response.tooLarge`, `extractor.response.damaged`
 * @throws NetworkFailure when what was packed on its way is damaged, or what nobody tells of ends too early
 */
export const unpacked = async (
  { body, file }: Pick<HttpResponse, 'body' | 'file'>,
  field: string | undefined,
  limitBytes: number,
): Promise<Pick<HttpResponse, 'body' | 'file'>> => {
  if (encodings(field).length === 0 && !isGzip(body)) return { body, file }
  const plain = plainOf(
    file === undefined ? Readable.from([body]) : createReadStream(file),
    field,
    limitBytes,
  )
  if (file === undefined) return { body: Buffer.concat(await Array.fromAsync(plain)), file }
  const unpackedFile = `${file}.decoded`
  try {
    await piped(plain, createWriteStream(unpackedFile))
    await rename(unpackedFile, file)
    return { body, file }
  } catch (error) {
    for (const each of [unpackedFile, file]) await rm(each, { force: true })
    throw error
  }
}

async function* plainOf(
  packed: Bytes,
  field: string | undefined,
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  const { start, body } = await begin(
    encodings(field).reduce((bytes, encoding) => atMost(limitBytes, undone(bytes, encoding)), packed),
  )
  if (!isGzip(start)) return yield* body
  try {
    yield* atMost(limitBytes, undone(body, 'gzip'))
  } catch (error) {
    if (!(error instanceof NetworkFailure) || error.curlCode === CUT_SHORT) throw error
    throw damagedAnswer('gzip', messageOf(error.cause), error)
  }
}

const isGzip = (start: Uint8Array): boolean => start[0] === 0x1f && start[1] === 0x8b

/** @throws UserError `extractor.response.tooLarge` */
async function* atMost(limitBytes: number, body: Bytes): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > limitBytes) throw tooLarge(limitBytes)
    yield chunk
  }
}

async function* undone(given: Bytes, encoding: keyof typeof decoders): AsyncGenerator<Uint8Array> {
  const { start, body } = await begin(given)
  if (start.length === 0) return
  let damage: Error | undefined
  const decoder = decoders[encoding](start)
  const plain = pipeline(Readable.from(body), decoder, error => {
    damage = error ?? undefined
  })
  try {
    for await (const chunk of plain) yield chunk
  } catch (error) {
    const cause = damage ?? error
    if (cause instanceof UserError || cause instanceof NetworkFailure) throw cause
    throw damaged(encoding, cause)
  }
}

/** The first bytes of a body, and all of it. */
const begin = async (bytes: Bytes): Promise<{ start: Uint8Array; body: Bytes }> => {
  const iterator = bytes[Symbol.asyncIterator]()
  let start: Uint8Array = Buffer.alloc(0)
  while (start.length < 2) {
    const next = await iterator.next()
    if (next.done) break
    start = Buffer.concat([start, next.value])
  }
  const all = async function* () {
    try {
      if (start.length > 0) yield start
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { start, body: all() }
}

const CUT_SHORT = 18

/** What ends before it is complete was cut short on its way, whatever the server says of its length. */
const damaged = (encoding: string, cause: unknown): NetworkFailure =>
  (cause as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' // zlib throws Errors with codes
    ? new NetworkFailure(CUT_SHORT, `Response body ends in the middle of its ${encoding}`, { cause })
    : new NetworkFailure(61, `Response body is not valid ${encoding}`, { cause })

/** Applied encodings, last applied first (RFC 9110, 8.4). Unknown ones are left alone. */
const encodings = (field = ''): (keyof typeof decoders)[] =>
  field
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter((name): name is keyof typeof decoders => Object.hasOwn(decoders, name))
    .reverse()
