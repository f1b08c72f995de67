import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { UserError } from '#lib/errors/errors.ts'
import { damagedAnswer, messageOf, tooLarge } from './answer-error.ts'

export type Bytes = AsyncIterable<Uint8Array>

type BodySource = Buffer | { file: string }

/**
 * The bytes of an answer, without gzip, which is known by its first bytes.
 *
 * @throws UserError `extractor.response.damaged`, `extractor.response.tooLarge`
 */
export async function* unpack(source: BodySource, limitBytes: number): AsyncGenerator<Uint8Array> {
  const content = Buffer.isBuffer(source) ? Readable.from([source]) : createReadStream(source.file)
  let bytes = 0
  for await (const chunk of withoutGzip(content)) {
    bytes += chunk.length
    if (bytes > limitBytes) throw tooLarge(limitBytes)
    yield chunk
  }
}

/** Undoes gzip where the first bytes say so. Several members in a row are one file (RFC 1952). */
async function* withoutGzip(content: Bytes): AsyncGenerator<Uint8Array> {
  const iterator = content[Symbol.asyncIterator]()
  const rest = async function* (start: Uint8Array): AsyncGenerator<Uint8Array> {
    if (start.length > 0) yield start
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  }
  try {
    let start: Uint8Array = Buffer.alloc(0)
    while (start.length < 2) {
      const next = await iterator.next()
      if (next.done) break
      start = Buffer.concat([start, next.value])
    }
    if (!isGzip(start)) {
      yield* rest(start)
      return
    }
    let damage: Error | undefined
    const unzipped = pipeline(Readable.from(rest(start)), createGunzip(), error => {
      damage = error ?? undefined
    })
    try {
      for await (const chunk of unzipped as AsyncIterable<Buffer>) yield chunk
    } catch (error) {
      const reason = damage ?? error
      throw reason instanceof UserError ? reason : damagedAnswer('gzip', messageOf(reason), reason)
    }
  } finally {
    await iterator.return?.()
  }
}

const isGzip = (start: Uint8Array): boolean => start[0] === 0x1f && start[1] === 0x8b

/** Whether an answer is packed in a way that its content encoding does not say. */
export const isPacked = (body: Buffer): boolean => isGzip(body)
