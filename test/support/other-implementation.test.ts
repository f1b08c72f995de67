import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, expect, it, vi } from 'vitest'
import { startTestS3, testRoot } from './embedded-s3.ts'
import { startItemDatabase } from './item-database.ts'
import { startObjectStore } from './object-store.ts'

afterEach(() => vi.unstubAllEnvs())

it('tests of the item table use the DynamoDB at MILLRACE_TEST_DYNAMODB, in a new table, and leave nothing there', async () => {
  const other = await startItemDatabase('already-there')
  try {
    vi.stubEnv('MILLRACE_TEST_DYNAMODB', other.endpoint)
    vi.stubEnv('AWS_ACCESS_KEY_ID', '')
    const first = await startItemDatabase('contract')
    expect(first.endpoint).toBe(other.endpoint)
    await first.documents.send(new PutCommand({ TableName: 'contract', Item: { pk: 'a', sk: 'b' } }))
    const again = await startItemDatabase('contract')
    const client = new DynamoDBClient({ endpoint: other.endpoint, region: 'us-east-1' })
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
    const describe = (TableName: string) => client.send(new DescribeTableCommand({ TableName }))
    expect((await describe('contract')).Table?.ItemCount ?? 0).toBe(0)
    await again.close()
    await expect(describe('contract')).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
    await describe('already-there')
    client.destroy()
  } finally {
    vi.unstubAllEnvs()
    await other.close()
  }
})

it('tests of S3 code use the store at MILLRACE_TEST_S3, in buckets of their own, and leave nothing there', async () => {
  const other = await startTestS3()
  try {
    vi.stubEnv('MILLRACE_TEST_S3', other.s3.endpoint)
    vi.stubEnv('AWS_ACCESS_KEY_ID', testRoot.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', testRoot.secretAccessKey)
    const store = await startObjectStore()
    const bucket = await store.createBucket('data')
    await store.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'x' }))
    await other.client.send(new HeadBucketCommand({ Bucket: bucket }))
    await store.close()
    await expect(other.client.send(new HeadBucketCommand({ Bucket: bucket }))).rejects.toMatchObject({
      name: 'NotFound',
    })
  } finally {
    await other.close()
  }
})
