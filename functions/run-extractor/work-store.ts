import {
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'

/** Another attempt of the same step was first: what it wrote counts. */
export class DocumentMoved extends Error {
  override readonly name = 'DocumentMoved'
}

interface StoredDocument {
  value: unknown
  etag: string
}

/** JSON documents in the work bucket, replaced by conditional writes only. */
export interface WorkStore {
  readonly s3: S3Client
  readonly bucket: string
  read(key: string): Promise<StoredDocument | undefined>
  /** Writes when the document is as `expected` says: not there, with this ETag, or (`any`) whatever it is. */
  write(key: string, value: unknown, expected: 'absent' | 'any' | { etag: string }): Promise<string>
}

/** Errors of `write`: `DocumentMoved` when the document is not as expected. */
export const createWorkStore = (s3: S3Client, bucket: string): WorkStore => ({
  s3,
  bucket,

  read: async key => {
    try {
      const { Body, ETag = '' } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      return { value: JSON.parse((await Body?.transformToString()) ?? ''), etag: ETag }
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined
      throw error
    }
  },

  write: async (key, value, expected) => {
    const condition =
      expected === 'any' ? {} : expected === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: expected.etag }
    try {
      const { ETag = '' } = await s3.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: key,
          Body: JSON.stringify(value),
          ContentType: 'application/json',
          ...condition,
        }),
      )
      return ETag
    } catch (error) {
      if (isMoved(error)) throw new DocumentMoved(`${key} is not as it was read`, { cause: error })
      throw error
    }
  },
})

/** 412: the condition does not hold; 409: another conditional write was under way (S3 User Guide, "Conditional writes"). */
const isMoved = (error: unknown): boolean =>
  error instanceof S3ServiceException &&
  (error.$metadata.httpStatusCode === 412 || error.name === 'ConditionalRequestConflict')
