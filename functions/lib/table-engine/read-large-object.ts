import { crc32 } from 'node:zlib'
import { HeadObjectCommand } from '@aws-sdk/client-s3'
import { parseCrc32 } from '../aws/multipart/combine-crc32.ts'
import { readBlocks } from '../aws/multipart/read-blocks.ts'
import { sourceChanged } from '../aws/multipart/source-changed.ts'
import type { ReceiveBody, SourceObject } from '../aws/multipart/source-object.ts'
import { TransientError } from '../errors/errors.ts'
import type { ByteRange } from './parquet/footer.ts'

/** While one block is used, the next one is read. */
const BLOCK_BYTES = 4 * 1024 * 1024

/**
 * The bytes of a large object, or of a part of it, in two blocks of memory that are used again and again. The buffers of a
 * stream, of 64 KiB each, cost more than all else that is done with their bytes: V8 marks its heap for every 64 MiB.
 *
 * The whole object is compared with the checksum that S3 keeps of it, as the SDK does with a stream.
 */
export async function* readLargeObject(
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
