import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { z } from 'zod'
import { createBucketDocuments } from '../lib/cloud/bucket-documents.ts'
import { deleteObjects } from '../lib/cloud/delete-objects.ts'
import { listObjects } from '../lib/cloud/list-objects.ts'
import type { SourceObject } from '../lib/cloud/multipart/source-object.ts'
import { hexDigest } from '../lib/digests.ts'
import { WORK_PREFIX } from './work-prefix.ts'

/** What the steps of one execution pass to each other: Step Functions carries at most 256 KiB between states. */
export interface WorkPlace {
  s3: S3Client
  bucket: string
  /** Ends with a slash. */
  prefix: string
  read<Value>(name: string, schema: z.ZodType<Value>): Promise<Value | undefined>
  write(name: string, value: unknown): Promise<void>
  /** Stores bytes as an object that can be a source like the slices. */
  put(name: string, bytes: Uint8Array): Promise<SourceObject>
  /** Removes everything but the documents of these names. */
  clear(kept?: readonly string[]): Promise<void>
}

export const createWorkPlace = (s3: S3Client, bucket: string, execution: string): WorkPlace => {
  const prefix = `${WORK_PREFIX}${hexDigest(execution, 32)}/`
  const documents = createBucketDocuments(s3, bucket)

  return {
    s3,
    bucket,
    prefix,
    read: (name, schema) => documents.readAs(prefix + name, schema),

    write: async (name, value) => {
      await documents.write(prefix + name, value, 'any')
    },

    put: async (name, bytes) => {
      const key = prefix + name
      const { ETag: etag = '' } = await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key: key, Body: bytes }),
      )
      return { s3, bucket, key, etag, bytes: bytes.length }
    },

    clear: async (kept = []) => {
      const found = await Array.fromAsync(listObjects(s3, { bucket, prefix }), ({ key }) => key)
      await deleteObjects(
        s3,
        bucket,
        found.filter(key => !kept.some(name => key === prefix + name)),
      )
    },
  }
}
