import { randomBytes } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { startTestS3, testRoot } from './embedded-s3.ts'
import { otherImplementation } from './other-implementation.ts'

/** What the S3 code of the functions needs of a store. */
export interface ObjectStore {
  readonly client: S3Client
  /** Another client of the same store, to be changed at will. */
  readonly newClient: () => S3Client
  /** A new bucket; the name is made unique. */
  readonly createBucket: (name: string, options?: { isVersioned?: boolean }) => Promise<string>
  readonly close: () => Promise<void>
}

/** The embedded S3, or the store at `MILLRACE_TEST_S3` (docs/testing.md, "Other implementations"), left as it was found. */
export const startObjectStore = async (): Promise<ObjectStore> => {
  const other = otherImplementation('MILLRACE_TEST_S3')
  const store = other ? { ...other, keepVersions } : await startEmbedded()
  const clients: S3Client[] = []
  const newClient = (): S3Client => {
    const client = new S3Client({ ...store.settings, forcePathStyle: true })
    clients.push(client)
    return client
  }
  const client = newClient()
  const buckets: string[] = []
  return {
    client,
    newClient,
    createBucket: async (name, { isVersioned = false } = {}) => {
      const bucket = `millrace-test-${name}-${randomBytes(4).toString('hex')}`
      const { region } = store.settings
      await client.send(
        new CreateBucketCommand({
          Bucket: bucket,
          // S3 API Reference, "CreateBucket": the first region is not named.
          ...(region === 'us-east-1'
            ? {}
            : { CreateBucketConfiguration: { LocationConstraint: region as 'eu-west-1' } }),
        }),
      )
      buckets.push(bucket)
      if (isVersioned) await store.keepVersions(client, bucket)
      return bucket
    },
    close: async () => {
      for (const bucket of buckets) await removeBucket(client, bucket)
      for (const each of clients) each.destroy()
      await store.close()
    },
  }
}

const startEmbedded = async () => {
  const server = await startTestS3()
  const settings = { endpoint: server.s3.endpoint, region: 'us-east-1', credentials: testRoot }
  return {
    settings,
    // It has no such request.
    keepVersions: (_: S3Client, bucket: string) => server.s3.createBucket(bucket, { versioned: true }),
    close: server.close,
  }
}

const keepVersions = async (client: S3Client, Bucket: string): Promise<void> => {
  const VersioningConfiguration = { Status: 'Enabled' as const }
  await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
}

const removeBucket = async (client: S3Client, bucket: string): Promise<void> => {
  const removeVersions = async (): Promise<void> => {
    const listed = await client.send(new ListObjectVersionsCommand({ Bucket: bucket }))
    const Objects = [...(listed.Versions ?? []), ...(listed.DeleteMarkers ?? [])].map(
      ({ Key, VersionId }) => ({
        Key,
        VersionId,
      }),
    )
    if (Objects.length === 0) return
    await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }))
    if (listed.IsTruncated) await removeVersions()
  }
  await removeVersions()
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
  for (const { Key, UploadId } of Uploads)
    await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }))
  await client.send(new DeleteBucketCommand({ Bucket: bucket }))
}
