import { HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startTestS3, testRoot } from './embedded-s3.ts'
import { startObjectStore } from './object-store.ts'
import { untilEnd } from './until-end.ts'

const names = ['MILLRACE_TEST_S3', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']
let before: Record<string, string | undefined> = {}

beforeEach(() => {
  before = Object.fromEntries(names.map(name => [name, process.env[name]]))
})

/** Whatever file comes next in this worker must not be led to a server that is gone. */
const restore = (): void => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) Reflect.deleteProperty(process.env, name)
    else process.env[name] = value
  }
}
afterEach(restore)

const set = (name: string, value: string): void => {
  process.env[name] = value
}

it('tests of S3 code use the store at MILLRACE_TEST_S3, in buckets of their own, and leave nothing there', async () => {
  const other = await untilEnd(startTestS3())
  set('MILLRACE_TEST_S3', other.s3.endpoint)
  set('AWS_ACCESS_KEY_ID', testRoot.accessKeyId)
  set('AWS_SECRET_ACCESS_KEY', testRoot.secretAccessKey)
  const store = await startObjectStore()
  const bucket = await store.createBucket('data')
  await store.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'x' }))
  await other.client.send(new HeadBucketCommand({ Bucket: bucket }))
  await store.close()
  await expect(other.client.send(new HeadBucketCommand({ Bucket: bucket }))).rejects.toMatchObject({
    name: 'NotFound',
  })
})
