import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { PutObjectCommand, type S3Client, type UploadPartCommand } from '@aws-sdk/client-s3'
import { formatCrc32 } from '../../combine-crc.ts'
import type { PartRange } from './part-ranges.ts'
import { createBufferPool } from './read-blocks.ts'
import { whenBodyFails, withUnsignedBody } from './sent-body.ts'

type ByteRange = Omit<PartRange, 'partNumber'>

const PIECE_BYTES = 256 * 1024
/** One is being sent, one waits in the stream and one is being read; one more, so that no rule of Node's streams is relied upon to the last. */
const PIECES = 4
/** The memory that one body needs at a time. */
export const RING_BYTES = PIECES * PIECE_BYTES

/** The bytes of a range of a file. A piece is valid until three more have been asked for. Throws when the file is shorter. */
export async function* readPieces(
  handle: FileHandle,
  { firstByte, lastByte }: ByteRange,
  ring: Uint8Array,
): AsyncGenerator<Uint8Array> {
  let start = 0
  for (let at = firstByte; at <= lastByte; ) {
    const piece = ring.subarray(start, start + Math.min(PIECE_BYTES, lastByte - at + 1))
    for (let filled = 0; filled < piece.length; ) {
      const { bytesRead } = await handle.read(piece, filled, piece.length - filled, at + filled)
      if (bytesRead === 0) throw new Error('The file became shorter while it was uploaded')
      filled += bytesRead
    }
    yield piece
    at += piece.length
    start = (start + PIECE_BYTES) % RING_BYTES
  }
}

/** CRC32 in base64. */
export const checksumOf = async (pieces: AsyncIterable<Uint8Array>): Promise<string> => {
  let crc = 0
  for await (const piece of pieces) crc = crc32(piece, crc)
  return formatCrc32(crc)
}

export interface FileBody {
  handle: FileHandle
  /** At least one byte. */
  range: ByteRange
  /** CRC32 in base64, which S3 compares. */
  checksum: string
  /** Of `RING_BYTES`. */
  ring: Uint8Array
}

/** The fields of a command that say what its body is. */
export const fileBodyFields = ({ range, checksum }: Pick<FileBody, 'range' | 'checksum'>) => ({
  ContentLength: range.lastByte - range.firstByte + 1,
  ChecksumCRC32: checksum,
  // In the place of the stream that each attempt gets: the SDK does not retry a stream.
  Body: new Uint8Array(1),
})

/**
 * Sends a command of which the body is a range of a file, a piece at a time. Make the command with `fileBodyFields`. The SDK retries as
 * with a body in memory: each attempt reads the file again.
 *
 * The checksum protects the body, so the request is signed without a SHA-256 of it, which would cost eight times as much.
 */
export const sendFileBody = async (
  s3: S3Client,
  command: PutObjectCommand | UploadPartCommand,
  { handle, range, ring }: FileBody,
): Promise<{ ETag?: string | undefined }> => {
  const request = withUnsignedBody(command) as PutObjectCommand // What is added suits the stack of either.
  let body: Readable | undefined
  const endReading = async (): Promise<void> => {
    if (!body || body.closed) return
    body.destroy()
    await once(body, 'close')
  }
  request.middlewareStack.add(
    next => async args => {
      await endReading()
      body = Readable.from(readPieces(handle, range, ring), {
        objectMode: false,
        highWaterMark: PIECE_BYTES,
      })
      // In this step of the SDK the request is an HTTP request.
      return next({ ...args, request: { ...(args.request as object), body } })
    },
    { step: 'deserialize', name: 'bodyOfAttempt' },
  )
  try {
    return await s3.send(request, { abortSignal: whenBodyFails(request) })
  } catch (error) {
    throw body?.errored ?? error
  } finally {
    await endReading()
  }
}

const rings = createBufferPool(RING_BYTES)

/**
 * Puts a local file in one request, which the SDK retries. Resolves to its size in bytes: at most 5 GiB.
 *
 * A large file is read a piece at a time, first for its checksum: V8 marks its heap for every 64 MiB of new memory outside of it.
 */
export const putFile = async (
  s3: S3Client,
  path: string,
  target: { Bucket: string; Key: string },
): Promise<number> => {
  const handle = await open(path)
  try {
    const { size } = await handle.stat()
    if (size <= PIECE_BYTES)
      await s3.send(withUnsignedBody(new PutObjectCommand({ ...target, Body: await handle.readFile() })))
    else
      await rings.use(async ring => {
        const range = { firstByte: 0, lastByte: size - 1 }
        const checksum = await checksumOf(readPieces(handle, range, ring))
        const body = { handle, range, checksum, ring }
        const put = new PutObjectCommand({ ...target, ...fileBodyFields(body) })
        await sendFileBody(s3, put, body)
      })
    return size
  } finally {
    await handle.close()
  }
}
