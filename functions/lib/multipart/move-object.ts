import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import pMap from 'p-map'
import { type PartRange, partRanges } from './part-ranges.ts'
import { sourceChanged } from './source-changed.ts'

/** One object, pinned to one content by its ETag. */
export interface SourceObject {
  s3: S3Client
  bucket: string
  key: string
  versionId?: string | undefined
  etag: string
  bytes: number
}

export interface DestinationObject {
  s3: S3Client
  bucket: string
  key: string
  /** `AES256` when the service asked for encryption at rest. */
  serverSideEncryption?: string | undefined
}

/** Memory of a move: this many parts of this size, whatever the size of the object up to 160 GB. */
export const PART_BYTES = 16 * 1024 ** 2
export const PARTS_IN_PARALLEL = 4

/**
 * Reads the source in ranges and writes them as parts, so that any size passes through fixed memory.
 *
 * The two sides have credentials of their own, so S3 cannot copy by itself. All or nothing: the destination appears
 * whole or not at all, and a failed multipart upload is aborted. Throws `UserError` (`source.changed`) when the
 * source is no longer what its ETag says.
 */
export const moveObject = async (source: SourceObject, destination: DestinationObject): Promise<void> => {
  const ranges = partRanges(source.bytes, PART_BYTES)
  if (ranges.length <= 1) await putWhole(source, destination, ranges[0])
  else await putInParts(source, destination, ranges)
}

const putWhole = async (
  source: SourceObject,
  destination: DestinationObject,
  range: PartRange | undefined,
) => {
  await destination.s3.send(
    new PutObjectCommand({
      ...targetOf(destination),
      Body: range === undefined ? new Uint8Array() : await readRange(source, range),
    }),
  )
}

const putInParts = async (source: SourceObject, destination: DestinationObject, ranges: PartRange[]) => {
  const { UploadId } = await destination.s3.send(new CreateMultipartUploadCommand(targetOf(destination)))
  const upload = { Bucket: destination.bucket, Key: destination.key, UploadId }
  try {
    const parts = await pMap(
      ranges,
      async range => {
        const { ETag } = await destination.s3.send(
          new UploadPartCommand({
            ...upload,
            PartNumber: range.partNumber,
            Body: await readRange(source, range),
          }),
        )
        return { PartNumber: range.partNumber, ETag }
      },
      { concurrency: PARTS_IN_PARALLEL },
    )
    await destination.s3.send(
      new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }),
    )
  } catch (error) {
    // The error of the move matters more than that of the clean-up; a lifecycle rule sweeps what stays behind.
    await destination.s3.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined)
    throw error
  }
}

const targetOf = ({ bucket, key, serverSideEncryption }: DestinationObject) => ({
  Bucket: bucket,
  Key: key,
  ...(serverSideEncryption === undefined ? {} : { ServerSideEncryption: 'AES256' as const }),
})

const readRange = async (source: SourceObject, { firstByte, lastByte }: PartRange): Promise<Uint8Array> => {
  const { Body } = await source.s3
    .send(
      new GetObjectCommand({
        Bucket: source.bucket,
        Key: source.key,
        VersionId: source.versionId,
        IfMatch: source.etag,
        Range: `bytes=${firstByte}-${lastByte}`,
      }),
    )
    .catch(sourceChanged(source))
  const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array()
  const expected = lastByte - firstByte + 1
  if (bytes.byteLength !== expected) {
    throw new Error(`S3 sent ${bytes.byteLength} of ${expected} bytes of ${source.bucket}/${source.key}`)
  }
  return bytes
}
