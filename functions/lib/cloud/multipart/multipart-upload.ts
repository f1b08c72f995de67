import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  NoSuchUpload,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { combineCrc32, formatCrc32, parseCrc32 } from '../../combine-crc.ts'
import { md5Digest } from '../../digests.ts'

/** An unfinished multipart upload. */
export interface MultipartUpload {
  s3: S3Client
  bucket: string
  key: string
  uploadId: string
}

/** A part that S3 has. */
export interface StoredPart {
  partNumber: number
  etag: string
  bytes: number
  /** CRC32 in base64, worked out or checked by S3. Not every service lists the checksums of parts. */
  checksum?: string | undefined
}

export interface DestinationObject {
  s3: S3Client
  bucket: string
  key: string
  contentType?: string | undefined
  contentDisposition?: string | undefined
  /** `AES256` when the service asked for encryption at rest. */
  serverSideEncryption?: string | undefined
}

/** The same options under S3's names, for requests that create an object. */
export const objectSettings = (object: DestinationObject) => ({
  Bucket: object.bucket,
  Key: object.key,
  ContentType: object.contentType,
  ContentDisposition: object.contentDisposition,
  ...(object.serverSideEncryption === undefined ? {} : { ServerSideEncryption: 'AES256' as const }),
})

/** Begins an upload. S3 checks one CRC32 over its whole content when it is completed. */
export const createUpload = async (object: DestinationObject): Promise<MultipartUpload> => {
  const { s3, bucket, key } = object
  const { UploadId } = await s3.send(
    new CreateMultipartUploadCommand({
      ...objectSettings(object),
      ChecksumAlgorithm: 'CRC32',
      ChecksumType: 'FULL_OBJECT',
    }),
  )
  if (UploadId === undefined) throw new Error('S3 gave no upload id')
  return { s3, bucket, key, uploadId: UploadId }
}

const address = ({ bucket, key, uploadId }: MultipartUpload) => ({
  Bucket: bucket,
  Key: key,
  UploadId: uploadId,
})

/** The parts that S3 has, in order, from number `from` to `to`. */
export const listParts = async (
  upload: MultipartUpload,
  { from = 1, to = Number.POSITIVE_INFINITY } = {},
): Promise<StoredPart[]> => {
  const parts: StoredPart[] = []
  for (let marker = from - 1; marker < to; ) {
    const page = await upload.s3.send(
      new ListPartsCommand({ ...address(upload), PartNumberMarker: String(marker) }),
    )
    for (const { PartNumber = 0, ETag = '', Size = 0, ChecksumCRC32 } of page.Parts ?? []) {
      if (PartNumber > to) return parts
      parts.push({ partNumber: PartNumber, etag: ETag, bytes: Size, checksum: ChecksumCRC32 })
    }
    if (!page.IsTruncated) break
    marker = Number(page.NextPartNumberMarker)
  }
  return parts
}

/** CRC32 in base64 of all parts joined; `undefined` when that of one is not known. */
const checksumOf = (parts: readonly StoredPart[]): string | undefined => {
  const pieces = parts.flatMap(({ checksum, bytes }) =>
    checksum ? [{ crc: parseCrc32(checksum), bytes }] : [],
  )
  return pieces.length < parts.length ? undefined : formatCrc32(combineCrc32(pieces))
}

/** The ETag of an object made of these parts: MD5 of their MD5s (S3 User Guide, "Checking object integrity"). */
const etagOf = (parts: readonly StoredPart[]): string => {
  const digests = parts.map(({ etag }) => Buffer.from(etag.replaceAll('"', ''), 'hex'))
  return `"${md5Digest(Buffer.concat(digests))}-${parts.length}"`
}

const headObject = ({ s3, bucket, key }: MultipartUpload) =>
  s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: 'ENABLED' }))

interface CompletedObject {
  etag: string
  bytes: number
  /** CRC32 of the whole object in base64; empty when the service keeps none. */
  checksum: string
  versionId?: string | undefined
}

/**
 * Completes the upload. S3 checks the size of the whole content, the ETag of each part, and the checksum when that of
 * each part is known; otherwise it works out the checksum.
 *
 * Idempotent: an object of this size and checksum (or ETag) under the key counts as success, whatever went wrong before.
 * With `mayReplace: false` an existing object stays, and S3's `PreconditionFailed` is thrown.
 */
export const completeUpload = async (
  upload: MultipartUpload,
  parts: readonly StoredPart[],
  { mayReplace = true } = {},
): Promise<CompletedObject> => {
  const { s3 } = upload
  const checksum = checksumOf(parts)
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  try {
    const completed = await s3.send(
      new CompleteMultipartUploadCommand({
        ...address(upload),
        ...(checksum !== undefined && { ChecksumCRC32: checksum }),
        ChecksumType: 'FULL_OBJECT',
        MpuObjectSize: bytes,
        ...(mayReplace ? {} : { IfNoneMatch: '*' }),
        MultipartUpload: {
          Parts: parts.map(part => ({
            PartNumber: part.partNumber,
            ETag: part.etag,
            ...(checksum !== undefined && { ChecksumCRC32: part.checksum }),
          })),
        },
      }),
    )
    return {
      etag: completed.ETag ?? '',
      bytes,
      checksum: checksum ?? completed.ChecksumCRC32 ?? (await headObject(upload)).ChecksumCRC32 ?? '',
      versionId: completed.VersionId,
    }
  } catch (error) {
    // It may have been completed all the same, now or at an earlier attempt, and only S3's answer was lost.
    const head = await headObject(upload).catch(() => undefined)
    const isTheSame =
      head?.ContentLength === bytes &&
      (checksum === undefined ? head.ETag === etagOf(parts) : head.ChecksumCRC32 === checksum)
    if (!head || !isTheSame) throw error
    await abortUpload(upload)
    const { ETag = '', ChecksumCRC32 = '', VersionId } = head
    return { etag: ETag, bytes, checksum: ChecksumCRC32, versionId: VersionId }
  }
}

export const isPreconditionFailed = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412

/** A part that is being written during the abort may need another abort (API Reference). */
const ABORT_ATTEMPTS = 3

/** Removes an upload and its parts. Idempotent. */
export const abortUpload = async (upload: MultipartUpload): Promise<void> => {
  try {
    for (let attempt = 1; attempt <= ABORT_ATTEMPTS; attempt++) {
      await upload.s3.send(new AbortMultipartUploadCommand(address(upload)))
      await upload.s3.send(new ListPartsCommand({ ...address(upload), MaxParts: 1 }))
    }
  } catch (error) {
    if (!(error instanceof NoSuchUpload)) throw error
  }
}
