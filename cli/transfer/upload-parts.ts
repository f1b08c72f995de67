import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { NoSuchUpload, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import {
  checksumOf,
  type FileBody,
  fileBodyFields,
  RING_BYTES,
  readPieces,
  sendFileBody,
} from '../../functions/lib/cloud/multipart/file-body.ts'
import {
  completeUpload,
  createUpload,
  type DestinationObject,
  listParts,
  type MultipartUpload,
  objectSettings,
  type StoredPart,
} from '../../functions/lib/cloud/multipart/multipart-upload.ts'
import { type PartRange, partRanges } from '../../functions/lib/cloud/multipart/part-ranges.ts'
import { createBufferPool } from '../../functions/lib/cloud/multipart/read-blocks.ts'
import { formatCrc32 } from '../../functions/lib/combine-crc.ts'
import type { Progress } from '../shell/progress.ts'

const MiB = 1024 ** 2
/** What is sent in one request. A larger file is read a piece at a time, so memory does not grow with it. */
const PART_BYTES = 8 * MiB
const PARTS_IN_PARALLEL = 6

interface UploadPartsOptions {
  bytes: number
  destination: DestinationObject
  /** The multipart upload of an earlier attempt. */
  uploadId?: string | undefined
  /** Called when a multipart upload begins, before the first part. */
  onUpload: (uploadId: string) => Promise<void>
  progress: Progress
}

interface UploadedObject {
  /** CRC32 in base64, checked by S3. */
  checksum: string
  resumedBytes: number
}

/** Uploads a local file as one object, in parallel parts. Parts of an earlier attempt are compared, not sent again. */
export const uploadParts = async (path: string, options: UploadPartsOptions): Promise<UploadedObject> => {
  const { bytes, destination, progress } = options
  const handle = await open(path)
  try {
    if (bytes <= PART_BYTES) {
      const body = await readWhole(handle, bytes)
      await destination.s3.send(new PutObjectCommand({ ...objectSettings(destination), Body: body }))
      progress.add(bytes)
      return { checksum: formatCrc32(crc32(body)), resumedBytes: 0 }
    }
    const { upload, stored } = await findOrCreate(options)
    // Parts grow with files over 80 GB.
    const parts = partRanges(bytes, PART_BYTES)
    const buffers = createBufferPool(RING_BYTES)
    const known = new Map(stored.map(part => [part.partNumber, part]))
    let resumedBytes = 0
    const sent = await pMap(
      parts,
      range =>
        buffers.use(async (ring): Promise<StoredPart> => {
          const length = range.lastByte - range.firstByte + 1
          const checksum = await checksumOf(readPieces(handle, range, ring))
          const part = known.get(range.partNumber)
          const isSent = part?.bytes === length && part.checksum === checksum
          if (isSent) resumedBytes += length
          const sent = isSent ? part : await sendFilePart(upload, { handle, range, checksum, ring })
          progress.add(length)
          return sent
        }),
      { concurrency: PARTS_IN_PARALLEL },
    )
    const { checksum } = await completeUpload(upload, sent)
    return { checksum, resumedBytes }
  } finally {
    await handle.close()
  }
}

const findOrCreate = async ({
  destination,
  uploadId,
  onUpload,
}: UploadPartsOptions): Promise<{ upload: MultipartUpload; stored: StoredPart[] }> => {
  if (uploadId !== undefined) {
    const { s3, bucket, key } = destination
    const upload = { s3, bucket, key, uploadId }
    try {
      return { upload, stored: await listParts(upload) }
    } catch (error) {
      if (!(error instanceof NoSuchUpload)) throw error
    }
  }
  const upload = await createUpload(destination)
  await onUpload(upload.uploadId)
  return { upload, stored: [] }
}

const readWhole = async (handle: FileHandle, bytes: number): Promise<Uint8Array> => {
  const body = new Uint8Array(bytes)
  const { bytesRead } = await handle.read(body, 0, bytes, 0)
  if (bytesRead < bytes) throw new Error('The file became shorter while it was uploaded')
  return body
}

interface FilePart extends FileBody {
  range: PartRange
}

/** Sends a range of a file as one part, a piece at a time. */
export const sendFilePart = async (
  { s3, bucket, key, uploadId }: MultipartUpload,
  part: FilePart,
): Promise<StoredPart> => {
  const { partNumber } = part.range
  const fields = fileBodyFields(part)
  const target = { Bucket: bucket, Key: key, UploadId: uploadId, PartNumber: partNumber }
  const { ETag = '' } = await sendFileBody(s3, new UploadPartCommand({ ...target, ...fields }), part)
  return { partNumber, etag: ETag, bytes: fields.ContentLength, checksum: part.checksum }
}
