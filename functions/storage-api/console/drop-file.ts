import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { z } from 'zod'
import { partRanges } from '../../lib/cloud/multipart/part-ranges.ts'
import type { S3With } from '../../lib/storage-client/s3-with-credentials.ts'
import type { StorageClient } from '../../lib/storage-client/storage-client.ts'
import type { BrowserUpload, uploadRequest } from './drop-wire.ts'

/** Parts that a browser sends: large enough for few requests, small enough to send again. */
const PART_BYTES = 16 * 1024 ** 2
/** Of a session's addresses; its credentials end no later. */
const EXPIRES_SECONDS = 3600

/**
 * Makes a file and signs the addresses that a browser needs to send its content straight to the object store. Whoever has them may write
 * this one object for an hour.
 */
export const startBrowserUpload = async (
  storage: Pick<StorageClient, 'prepareFile'>,
  s3With: S3With,
  { name, bytes }: z.output<typeof uploadRequest>,
): Promise<BrowserUpload> => {
  const { id, region, uploadParams } = await storage.prepareFile({
    name,
    sizeBytes: bytes,
    tags: ['console'],
  })
  const s3 = s3With(region, uploadParams.credentials, {
    // A checksum would have to be in the address, before the bytes are known.
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  try {
    const object = { Bucket: uploadParams.bucket, Key: uploadParams.key }
    const encryption = uploadParams['x-amz-server-side-encryption'] === undefined ? {} : encrypted
    return { fileId: id, ...(await signUpload(s3, { ...object, ...encryption }, bytes)) }
  } finally {
    s3.destroy()
  }
}

const encrypted = { ServerSideEncryption: 'AES256' } as const

const signUpload = async (
  s3: S3Client,
  object: { Bucket: string; Key: string; ServerSideEncryption?: 'AES256' },
  bytes: number,
): Promise<Omit<BrowserUpload, 'fileId'>> => {
  const options = { expiresIn: EXPIRES_SECONDS }
  if (bytes <= PART_BYTES) {
    const url = await getSignedUrl(s3, new PutObjectCommand(object), options)
    const isEncrypted = object.ServerSideEncryption !== undefined
    return {
      parts: [{ url, firstByte: 0, lastByte: bytes - 1 }],
      headers: isEncrypted ? { 'x-amz-server-side-encryption': 'AES256' } : {},
    }
  }
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(object))
  const upload = { Bucket: object.Bucket, Key: object.Key, UploadId }
  const parts: BrowserUpload['parts'] = []
  for (const { partNumber, firstByte, lastByte } of partRanges(bytes, PART_BYTES)) {
    const url = await getSignedUrl(s3, new UploadPartCommand({ ...upload, PartNumber: partNumber }), options)
    parts.push({ url, firstByte, lastByte })
  }
  return {
    parts,
    headers: {},
    complete: await getSignedUrl(s3, new CompleteMultipartUploadCommand(upload), options),
  }
}
