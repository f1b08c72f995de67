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
  /** Objects whose names begin with `name`, sorted. */
  list(name: string): Promise<Map<string, SourceObject>>
  /** Removes everything except names that start with one of `kept`. */
  clear(kept?: readonly string[]): Promise<void>
}

export const createWorkPlace = (s3: S3Client, bucket: string, execution: string): WorkPlace => {
  const id = hexDigest(execution, 32)
  const prefix = `${WORK_PREFIX}${id}/`
  const documents = createBucketDocuments(s3, bucket)

  const list = async (name: string): Promise<Map<string, SourceObject>> => {
    const found = new Map<string, SourceObject>()
    for await (const { key, etag, bytes } of listObjects(s3, { bucket, prefix: prefix + name }))
      found.set(key.slice(prefix.length), { s3, bucket, key, etag, bytes })
    return found
  }

  return {
    s3,
    bucket,
    prefix,
    list,
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
      const names = [...(await list('')).keys()].filter(name => !kept.some(start => name.startsWith(start)))
      await deleteObjects(
        s3,
        bucket,
        names.map(name => prefix + name),
      )
    },
  }
}
