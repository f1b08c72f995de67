import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import pMap from 'p-map'
import type { DestinationObject, SourceObject } from './move-object.ts'
import { type PartRange, partRanges } from './part-ranges.ts'
import { sourceChanged } from './source-changed.ts'

/**
 * Up to here one request copies the whole object; S3 would allow 5 GiB, but takes longer for it than for parts side
 * by side (S3 User Guide, "Copying an object using multipart upload").
 */
export const WHOLE_COPY_BYTES = 1024 ** 3

/** S3 copies the parts; this bounds requests, not memory. */
const PART_BYTES = 512 * 1024 ** 2
const PARTS_IN_PARALLEL = 8

/**
 * Copies an object inside S3, with one client that may read the source and write the destination: no byte passes
 * through the function, whatever the size.
 *
 * User metadata and tags stay behind. All or nothing, as `moveObject`; throws `UserError` (`source.changed`) likewise.
 */
export const copyObject = async (
  s3: S3Client,
  source: Omit<SourceObject, 's3'>,
  destination: Omit<DestinationObject, 's3'>,
): Promise<void> => {
  if (source.bytes <= WHOLE_COPY_BYTES) await copyWhole(s3, source, destination)
  else await copyInParts(s3, source, destination)
}

type Source = Omit<SourceObject, 's3'>
type Destination = Omit<DestinationObject, 's3'>

const copyWhole = async (s3: S3Client, source: Source, destination: Destination) => {
  await s3
    .send(
      new CopyObjectCommand({
        ...targetOf(destination),
        ...originOf(source),
        MetadataDirective: 'REPLACE',
        TaggingDirective: 'REPLACE', // Copying tags would need a right of its own.
      }),
    )
    .catch(sourceChanged(source))
}

const copyInParts = async (s3: S3Client, source: Source, destination: Destination) => {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(targetOf(destination)))
  const upload = { Bucket: destination.bucket, Key: destination.key, UploadId }
  const copyPart = async ({ partNumber, firstByte, lastByte }: PartRange) => {
    const { CopyPartResult } = await s3
      .send(
        new UploadPartCopyCommand({
          ...upload,
          ...originOf(source),
          PartNumber: partNumber,
          CopySourceRange: `bytes=${firstByte}-${lastByte}`,
        }),
      )
      .catch(sourceChanged(source))
    return { PartNumber: partNumber, ETag: CopyPartResult?.ETag }
  }
  try {
    const parts = await pMap(partRanges(source.bytes, PART_BYTES), copyPart, {
      concurrency: PARTS_IN_PARALLEL,
    })
    await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }))
  } catch (error) {
    // The error of the copy matters more than that of the clean-up; a lifecycle rule sweeps what stays behind.
    await s3.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined)
    throw error
  }
}

const originOf = ({ bucket, key, versionId, etag }: Source) => ({
  CopySource: `${bucket}/${key.split('/').map(encodeURIComponent).join('/')}${
    versionId === undefined ? '' : `?versionId=${encodeURIComponent(versionId)}`
  }`,
  CopySourceIfMatch: etag,
})

const targetOf = ({ bucket, key, serverSideEncryption }: Destination) => ({
  Bucket: bucket,
  Key: key,
  ...(serverSideEncryption === undefined ? {} : { ServerSideEncryption: 'AES256' as const }),
})
