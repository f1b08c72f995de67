import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { crc32, createGunzip } from 'node:zlib'
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl'
import { UserError } from '#lib/errors/errors.ts'
import { damagedAnswer, messageOf, tooLarge } from './answer-error.ts'

export type Bytes = AsyncIterable<Uint8Array>

export type BodySource = Buffer | { file: string }

/** A file of an answer. An answer that is no zip archive is one file, of which only the address may know the name. */
export interface AnswerFile {
  name: string | undefined
  /** Unpacked. */
  content: Bytes
}

interface UnpackOptions {
  limitBytes: number
  wants: (name: string) => boolean
}

/**
 * The files of an answer, one after the other: those of a zip archive, else the answer itself; each without gzip. Packed data is
 * known by its first bytes. An archive that was cut off has no directory, so nothing of it is read.
 *
 * @throws UserError `extractor.response.damaged`, `extractor.response.tooLarge`
 */
export async function* unpack(
  source: BodySource,
  { limitBytes, wants }: UnpackOptions,
): AsyncGenerator<AnswerFile> {
  const limit = createLimit(limitBytes)
  if (!isZip(await startOf(source))) {
    const content = Buffer.isBuffer(source) ? Readable.from([source]) : createReadStream(source.file)
    yield { name: undefined, content: limit(withoutGzip(content)) }
    return
  }
  const archive = await openArchive(source)
  try {
    for await (const entry of archive.eachEntry()) {
      const { fileName } = entry
      if (fileName.endsWith('/') || fileName.startsWith('__MACOSX/') || !wants(fileName)) continue
      yield { name: fileName, content: limit(withoutGzip(checked(archive, entry))) }
    }
  } catch (error) {
    throw error instanceof UserError ? error : damagedAnswer('zip', messageOf(error), error)
  } finally {
    archive.close()
  }
}

const openArchive = async (source: BodySource): Promise<ZipFile> => {
  const options = { lazyEntries: true, autoClose: false }
  try {
    return Buffer.isBuffer(source)
      ? await fromBufferPromise(source, options)
      : await openPromise(source.file, options)
  } catch (error) {
    throw damagedAnswer('zip', messageOf(error), error)
  }
}

/** The content of an entry, its checksum compared at the end. */
async function* checked(archive: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  let sum = 0
  try {
    const stream = await archive.openReadStreamPromise(entry)
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw error instanceof UserError
      ? error
      : damagedAnswer('zip', `${entry.fileName}: ${messageOf(error)}`, error)
  }
  if (sum !== entry.crc32) throw damagedAnswer('zip', `${entry.fileName}: its checksum differs`)
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

const createLimit = (limitBytes: number) => {
  let bytes = 0
  return async function* (content: Bytes): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      bytes += chunk.length
      if (bytes > limitBytes) throw tooLarge(limitBytes)
      yield chunk
    }
  }
}

const isGzip = (start: Uint8Array): boolean => start[0] === 0x1f && start[1] === 0x8b

/** A first entry, or the end of an archive without entries. */
const isZip = (start: Buffer): boolean =>
  ['PK\u0003\u0004', 'PK\u0005\u0006'].includes(start.subarray(0, 4).toString('latin1'))

/** Whether an answer is packed in a way that its content encoding does not say. */
export const isPacked = async (source: BodySource): Promise<boolean> => {
  const start = await startOf(source)
  return isZip(start) || isGzip(start)
}

const startOf = async (source: BodySource): Promise<Buffer> => {
  if (Buffer.isBuffer(source)) return source.subarray(0, 4)
  const handle = await open(source.file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}
