import { Readable } from 'node:stream'
import { S3ServiceException, UploadPartCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3'
import type { MultipartUpload, StoredPart } from './multipart-upload.ts'
import { BLOCK_BYTES, bytesOf, createBufferPool, readBlock, readBlocks } from './read-blocks.ts'
import { whenBodyFails } from './sent-body.ts'
import { type ObjectRange, type SourceObject, sourceChanged } from './source-object.ts'

/** Makes S3 copy a range into a part, without reading it here. Throws `UserError` (`source.changed`). */
export const copyPart = async (
  { s3, bucket, key, uploadId }: MultipartUpload,
  partNumber: number,
  { source, firstByte, lastByte }: ObjectRange,
): Promise<StoredPart> => {
  const isWhole = firstByte === 0 && lastByte === source.bytes - 1
  const { CopyPartResult } = await s3
    .send(
      new UploadPartCopyCommand({
        Bucket: bucket,
        Key: key,
        UploadId: uploadId,
        PartNumber: partNumber,
        ...copyOrigin(source),
        // S3 refuses a range of an object of 5 MiB or less, even a range of the whole object.
        ...(isWhole ? {} : { CopySourceRange: `bytes=${firstByte}-${lastByte}` }),
      }),
    )
    .catch(sourceChanged(source))
  const { ETag = '', ChecksumCRC32 } = CopyPartResult ?? {}
  return { partNumber, etag: ETag, bytes: lastByte - firstByte + 1, checksum: ChecksumCRC32 }
}

/** The source of a copy in S3's notation, pinned to its ETag. */
export const copyOrigin = ({ bucket, key, versionId, etag }: Omit<SourceObject, 's3'>) => ({
  CopySource: `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}${
    versionId === undefined ? '' : `?versionId=${encodeURIComponent(versionId)}`
  }`,
  CopySourceIfMatch: etag,
})

/** The SDK retries a body in memory by itself, but not a stream. */
const STREAM_ATTEMPTS = 3

/**
 * Reads ranges and writes them as one part, with two blocks in memory.
 *
 * Throws `UserError` (`source.changed`) when a source no longer has its ETag.
 */
export const assemblePart = async (
  upload: MultipartUpload,
  partNumber: number,
  ranges: readonly ObjectRange[],
): Promise<StoredPart> => {
  const bytes = bytesOf(ranges)
  if (bytes <= BLOCK_BYTES) {
    return blocks.use(async buffer =>
      sendPart(upload, partNumber, bytes, await readBlock(ranges, buffer.subarray(0, bytes))),
    )
  }
  for (let attempt = 1; ; attempt++) {
    const body = Readable.from(readBlocks(ranges), { objectMode: false })
    try {
      return await sendPart(upload, partNumber, bytes, body)
    } catch (error) {
      const cause = body.errored ?? error
      if (attempt === STREAM_ATTEMPTS || body.errored || isRefusal(error)) throw cause
    } finally {
      body.destroy()
    }
  }
}

const blocks = createBufferPool(BLOCK_BYTES)

const isRefusal = (error: unknown): boolean =>
  error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 0) < 500

/** Sends bytes as one part; S3 checks their CRC32. */
export const sendPart = async (
  { s3, bucket, key, uploadId }: MultipartUpload,
  partNumber: number,
  bytes: number,
  body: Uint8Array | Readable,
): Promise<StoredPart> => {
  const request = new UploadPartCommand({
    Bucket: bucket,
    Key: key,
    UploadId: uploadId,
    PartNumber: partNumber,
    Body: body,
    ContentLength: bytes,
    ChecksumAlgorithm: 'CRC32',
  })
  const { ETag = '', ChecksumCRC32 } = await s3.send(request, { abortSignal: whenBodyFails(request) })
  return { partNumber, etag: ETag, bytes, checksum: ChecksumCRC32 }
}
