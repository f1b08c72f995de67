import { paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3'

interface ListedObject {
  key: string
  etag: string
  bytes: number
  lastModified: Date
}

interface ObjectRange {
  bucket: string
  prefix: string
  /** Keys that come later. Default: all. */
  after?: string | undefined
  /** Default: all. */
  atMost?: number
}

/** Objects below a prefix, by key: a request for each thousand, when it is needed. */
export async function* listObjects(
  s3: S3Client,
  { bucket, prefix, after, atMost = Number.POSITIVE_INFINITY }: ObjectRange,
): AsyncGenerator<ListedObject> {
  let left = atMost
  const request = { Bucket: bucket, Prefix: prefix, StartAfter: after }
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, request))
    for (const { Key, ETag, Size, LastModified } of Contents)
      if (Key !== undefined && ETag !== undefined && Size !== undefined && LastModified) {
        if (left-- <= 0) return
        yield { key: Key, etag: ETag, bytes: Size, lastModified: LastModified }
      }
}

export async function* listKeys(s3: S3Client, range: ObjectRange): AsyncGenerator<string> {
  for await (const { key } of listObjects(s3, range)) yield key
}
