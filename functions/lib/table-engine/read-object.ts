import { crc32 } from 'node:zlib'
import { GetObjectCommand, HeadObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { isPreconditionFailed } from '../cloud/multipart/multipart-upload.ts'
import { readBlocks } from '../cloud/multipart/read-blocks.ts'
import { type ReceiveBody, type SourceObject, sourceChanged } from '../cloud/multipart/source-object.ts'
import { parseCrc32 } from '../combine-crc.ts'
import { TransientError } from '../errors/errors.ts'
import type { ByteRange } from './files/footer.ts'
import type { ObjectAddress } from './files/table-files.ts'

/** How often in a row a request for the rest of an object may bring no byte. */
const ATTEMPTS = 3

/** For less, a stream of the SDK takes no longer than blocks of memory do. */
const LARGE_BYTES = 4 * 1024 * 1024

interface ReadOptions {
  range?: ByteRange | undefined
  /** Reads what is large in blocks. Default: all is a stream of the SDK. */
  receive?: ReceiveBody | undefined
}

/**
 * The bytes of an object, or of a part of it, in order. A piece is valid until the next one is asked for. When the
 * connection breaks, another request reads the rest.
 *
 * Throws S3's errors (such as `NoSuchKey`), and `TransientError` `s3.objectChanged` when the object is replaced during
 * the read, `s3.checksumDiffers`; `UserError` `source.changed` when it no longer has the ETag of the address.
 */
export async function* readObject(
  s3: S3Client,
  address: ObjectAddress,
  { range, receive }: ReadOptions = {},
): AsyncGenerator<Uint8Array> {
  const source = receive && pinned(s3, address)
  if (source && (range?.end ?? source.bytes) - (range?.start ?? 0) >= LARGE_BYTES)
    yield* readLargeObject(source, receive, range)
  else yield* readStream(s3, address, range)
}

const pinned = (s3: S3Client, { bucket, key, etag, bytes }: ObjectAddress): SourceObject | undefined =>
  etag === undefined || bytes === undefined ? undefined : { s3, bucket, key, etag, bytes }

/** The SDK retries requests but not bodies. */
async function* readStream(
  s3: S3Client,
  address: ObjectAddress,
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array> {
  const { bucket, key } = address
  let offset = range?.start ?? 0
  let etag = address.etag
  for (let attempt = 1; ; attempt++) {
    try {
      const { Body, ETag } = await s3.send(
        new GetObjectCommand({
          Bucket: bucket,
          Key: key,
          ...((offset > 0 || range) && { Range: `bytes=${offset}-${range ? range.end - 1 : ''}` }),
          ...(etag !== undefined && { IfMatch: etag }),
        }),
      )
      etag = ETag
      // On Node the SDK's bodies are Readable streams.
      for await (const bytes of Body as AsyncIterable<Uint8Array>) {
        attempt = 0
        offset += bytes.length
        yield bytes
      }
      return
    } catch (error) {
      if (!(error instanceof S3ServiceException) && attempt < ATTEMPTS) continue
      if (address.etag !== undefined) sourceChanged(address)(error)
      throw isPreconditionFailed(error) ? createObjectChanged(key, error) : error
    }
  }
}

const createObjectChanged = (key: string, cause: unknown): TransientError =>
  new TransientError('s3.objectChanged', `The object ${key} was replaced while it was read.`, { cause })

/** While one block is used, the next one is read. */
const BLOCK_BYTES = 4 * 1024 * 1024

/**
 * The bytes of a large object, or of a part of it, in two blocks of memory that are used again and again. The buffers of a
 * stream, of 64 KiB each, cost more than all else that is done with their bytes: V8 marks its heap for every 64 MiB.
 *
 * The whole object is compared with the checksum that S3 keeps of it, as the SDK does with a stream.
 */
async function* readLargeObject(
  source: SourceObject,
  receive: ReceiveBody,
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array> {
  const { start, end } = range ?? { start: 0, end: source.bytes }
  const expected = range ? undefined : keptChecksum(source)
  expected?.catch(() => undefined) // Awaited at the end.
  const blockBytes = Math.min(BLOCK_BYTES, end - start)
  const ranges = [{ source, firstByte: start, lastByte: end - 1 }]
  let crc = 0
  for await (const block of readBlocks(ranges, { blockBytes, isReused: true, receive })) {
    if (expected) crc = crc32(block, crc)
    yield block
  }
  if (((await expected) ?? crc) !== crc) {
    throw new TransientError(
      's3.checksumDiffers',
      `${source.key} was read with another checksum than S3 keeps of it.`,
    )
  }
}

/** `undefined`: other tools let S3 keep another kind of checksum, or one for each part. */
const keptChecksum = async (source: SourceObject): Promise<number | undefined> => {
  const { s3, bucket, key, etag } = source
  const { ChecksumCRC32 } = await s3
    .send(new HeadObjectCommand({ Bucket: bucket, Key: key, IfMatch: etag, ChecksumMode: 'ENABLED' }))
    .catch(sourceChanged(source))
  return ChecksumCRC32 === undefined || ChecksumCRC32.includes('-') ? undefined : parseCrc32(ChecksumCRC32)
}
