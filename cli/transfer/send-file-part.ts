import { once } from 'node:events'
import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { UploadPartCommand } from '@aws-sdk/client-s3'
import type { MultipartUpload, StoredPart } from '../../functions/lib/aws/multipart/multipart-upload.ts'
import type { PartRange } from '../../functions/lib/aws/multipart/part-ranges.ts'
import { whenBodyFails } from '../../functions/lib/aws/multipart/when-body-fails.ts'
import { withUnsignedBody } from '../../functions/lib/aws/unsigned-body.ts'

const PIECE_BYTES = 256 * 1024
/** One is being sent, one waits in the stream and one is being read; one more, so that no rule of Node's streams is relied upon to the last. */
const PIECES = 4
/** The memory that one part needs at a time. */
export const RING_BYTES = PIECES * PIECE_BYTES

/** The bytes of a range of a file. A piece is valid until three more have been asked for. Throws when the file is shorter. */
export async function* readPieces(
  handle: FileHandle,
  { firstByte, lastByte }: PartRange,
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

interface FilePart {
  handle: FileHandle
  range: PartRange
  /** CRC32 in base64, which S3 compares. */
  checksum: string
  /** Of `RING_BYTES`. */
  ring: Uint8Array
}

/**
 * Sends a range of a file as one part, a piece at a time. The SDK retries as with a body in memory: each attempt reads the file again.
 *
 * The checksum protects the body, so the request is signed without a SHA-256 of it, which would cost eight times as much.
 */
export const sendFilePart = async (
  { s3, bucket, key, uploadId }: MultipartUpload,
  { handle, range, checksum, ring }: FilePart,
): Promise<StoredPart> => {
  const { partNumber, firstByte, lastByte } = range
  const bytes = lastByte - firstByte + 1
  const request = withUnsignedBody(
    new UploadPartCommand({
      Bucket: bucket,
      Key: key,
      UploadId: uploadId,
      PartNumber: partNumber,
      ContentLength: bytes,
      ChecksumCRC32: checksum,
      // In the place of the stream that each attempt gets: the SDK does not retry a stream.
      Body: new Uint8Array(1),
    }),
  )
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
    const { ETag = '' } = await s3.send(request, { abortSignal: whenBodyFails(request) })
    return { partNumber, etag: ETag, bytes, checksum }
  } catch (error) {
    throw body?.errored ?? error
  } finally {
    await endReading()
  }
}
