import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { Reply } from './check-reply.ts'

type Call = (method: string, target: string, body?: unknown) => Promise<Reply>

/** What most tests of the storage service begin with: files with content, buckets and tables. */
export const storageSteps = (call: Call, s3: S3Client) => ({
  /** A file resource with its content uploaded; its id. */
  async upload(content: string | Uint8Array, { name = 'data.csv' } = {}): Promise<number> {
    const { body: file } = await call('POST', '/v2/storage/files/prepare', { name, federationToken: 1 })
    const { bucket, key } = file.uploadParams
    await s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: content,
        ContentLength: Buffer.byteLength(content),
      }),
    )
    return file.id
  },

  /** A sliced file resource with its slices and manifest uploaded; its id. */
  async uploadSlices(slices: string[]): Promise<number> {
    const { body: file } = await call('POST', '/v2/storage/files/prepare', {
      name: 'sliced.csv',
      isSliced: 1,
      federationToken: 1,
    })
    const { bucket, key } = file.uploadParams
    for (const [index, content] of slices.entries())
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${key}part${index}`, Body: content }))
    const entries = slices.map((_, index) => ({ url: `s3://${bucket}/${key}part${index}` }))
    await s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: `${key}manifest`, Body: JSON.stringify({ entries }) }),
    )
    return file.id
  },

  /** A bucket of this name; its id. */
  async createBucket(name: string): Promise<string> {
    const { body } = await call('POST', '/v2/storage/buckets', { name })
    return body.id
  },

  /** A table with this content; its id. */
  async createTable(
    bucketId: string,
    name: string,
    content: string,
    settings: Record<string, unknown> = {},
  ): Promise<string> {
    const dataFileId = await this.upload(content)
    const { body } = await call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, {
      name,
      dataFileId,
      ...settings,
    })
    if (body.status !== 'success') throw new Error(`The table was not created: ${JSON.stringify(body)}`)
    return body.results.id
  },
})
