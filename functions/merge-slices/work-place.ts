import { createHash } from 'node:crypto'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { z } from 'zod'
import type { SourceObject } from '../lib/aws/multipart/source-object.ts'
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
  const id = createHash('sha256').update(execution).digest('hex').slice(0, 32)
  const prefix = `${WORK_PREFIX}${id}/`

  const list = async (name: string): Promise<Map<string, SourceObject>> => {
    const found = new Map<string, SourceObject>()
    const pages = paginateListObjectsV2({ client: s3 }, { Bucket: bucket, Prefix: `${prefix}${name}` })
    for await (const { Contents = [] } of pages) {
      for (const { Key: key = '', ETag: etag = '', Size: bytes = 0 } of Contents)
        found.set(key.slice(prefix.length), { s3, bucket, key, etag, bytes })
    }
    return found
  }

  return {
    s3,
    bucket,
    prefix,
    list,

    read: async (name, schema) => {
      try {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: prefix + name }))
        return schema.parse(JSON.parse((await Body?.transformToString()) ?? ''))
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined
        throw error
      }
    },

    write: async (name, value) => {
      const request = { Bucket: bucket, Key: prefix + name, Body: JSON.stringify(value) }
      await s3.send(new PutObjectCommand({ ...request, ContentType: 'application/json' }))
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
      // DeleteObjects takes 1,000 keys (API Reference).
      for (let first = 0; first < names.length; first += 1000) {
        const Objects = names.slice(first, first + 1000).map(name => ({ Key: prefix + name }))
        await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }))
      }
    },
  }
}
