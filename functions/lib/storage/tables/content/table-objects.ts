import {
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { LRUCache } from 'lru-cache'
import pMap from 'p-map'
import type { NewObject } from '#lib/iceberg/commit/table-change.ts'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'

/** Of each function that is warm. */
const CACHE_BYTES = 16 * 1024 * 1024
const WRITES = 8

/** The objects that hold the metadata of tables. None ever changes under its name, so those read lately stay in memory. */
export const createTableObjects = (s3: S3Client, tablesBucket: string) => {
  const cache = new LRUCache<string, Uint8Array>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ length }) => length + 1,
  })
  const keep = (location: string, content: Uint8Array): void => {
    cache.set(location, alone(content))
  }
  const root = `s3://${tablesBucket}/`

  const keyOf = (location: string): string => {
    // Other writers spell the scheme s3a.
    const key = location.replace(/^s3a:/, 's3:')
    if (!key.startsWith(root)) throw new Error(`The location ${location} is not in the bucket of tables`)
    return key.slice(root.length)
  }

  const read: ObjectReader = async location => {
    const known = cache.get(location)
    if (known) return known
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: tablesBucket, Key: keyOf(location) }))
    if (!Body) throw new Error(`The object ${location} has no body`)
    const content = await Body.transformToByteArray()
    keep(location, content)
    return content
  }

  return {
    read,
    keyOf,
    locationOf: (key: string): string => `${root}${key}`,

    /** Bytes of the object at a location. `undefined`: there is none. */
    async sizeOf(location: string): Promise<number | undefined> {
      try {
        const { ContentLength } = await s3.send(
          new HeadObjectCommand({ Bucket: tablesBucket, Key: keyOf(location) }),
        )
        return ContentLength
      } catch (error) {
        if (error instanceof NotFound) return undefined
        throw error
      }
    },

    /** Writes the objects. Metadata is last: it names the others. */
    async write(objects: readonly NewObject[]): Promise<void> {
      const put = async ({ location, content }: NewObject): Promise<void> => {
        await s3.send(new PutObjectCommand({ Bucket: tablesBucket, Key: keyOf(location), Body: content }))
        keep(location, content)
      }
      await pMap(objects.slice(0, -1), put, { concurrency: WRITES })
      for (const last of objects.slice(-1)) await put(last)
    },
  }
}

/** What an encoder or the network gives is a piece of a block of 64 KiB, which would stay in memory with it. */
const alone = (content: Uint8Array): Uint8Array =>
  content.buffer.byteLength > content.byteLength ? new Uint8Array(content) : content

export type TableObjects = ReturnType<typeof createTableObjects>
