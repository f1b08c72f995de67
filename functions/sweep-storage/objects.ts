import { DeleteObjectsCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3'

interface ListedObject {
  key: string
  lastModified: Date
}

interface ObjectRange {
  prefix: string
  /** Keys that come later. Default: all. */
  after: string | undefined
  atMost: number
}

/** Objects below a prefix, by key. */
export const listObjects = async (
  s3: S3Client,
  bucket: string,
  { prefix, after, atMost }: ObjectRange,
): Promise<ListedObject[]> => {
  const listed: ListedObject[] = []
  const request = { Bucket: bucket, Prefix: prefix, StartAfter: after }
  for await (const page of paginateListObjectsV2({ client: s3 }, request))
    for (const { Key, LastModified } of page.Contents ?? []) {
      if (Key === undefined || !LastModified) continue
      listed.push({ key: Key, lastModified: LastModified })
      if (listed.length === atMost) return listed
    }
  return listed
}

// S3 API Reference, "DeleteObjects".
const KEYS_IN_REQUEST = 1_000

/** Deletes objects. Idempotent. */
export const deleteObjects = async (s3: S3Client, bucket: string, keys: string[]): Promise<void> => {
  for (let start = 0; start < keys.length; start += KEYS_IN_REQUEST) {
    const Objects = keys.slice(start, start + KEYS_IN_REQUEST).map(Key => ({ Key }))
    const { Errors: [first] = [] } = await s3.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
    )
    if (first) throw new Error(`${first.Key} could not be deleted: ${first.Code}`)
  }
}
