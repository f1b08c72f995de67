import { CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { BLOCK_BYTES } from '#lib/cloud/multipart/read-blocks.ts'
import type { ObjectRange } from '#lib/cloud/multipart/source-object.ts'
import { assemblePart } from '#lib/cloud/multipart/write-part.ts'
import { startTestS3 } from '#support/embedded-s3.ts'
import { untilEnd } from '#support/until-end.ts'

const test = await untilEnd(startTestS3())
await test.s3.createBucket('data')

const rangeOf = async (key: string, bytes: number): Promise<ObjectRange> => {
  const Body = new Uint8Array(bytes)
  const { ETag = '' } = await test.client.send(new PutObjectCommand({ Bucket: 'data', Key: key, Body }))
  return {
    source: { s3: test.client, bucket: 'data', key, etag: ETag, bytes },
    firstByte: 0,
    lastByte: bytes - 1,
  }
}

it.each([
  ['the first', [0]],
  ['a later', [1, 2]],
])('an object that changes before %s block of a part is read ends the part', async (_, changed) => {
  const ranges = [
    await rangeOf('one', BLOCK_BYTES),
    await rangeOf('two', BLOCK_BYTES),
    await rangeOf('three', 100),
  ]
  for (const index of changed) {
    const range = ranges[index]
    if (range) range.source.etag = '"another"'
  }
  const place = { Bucket: 'data', Key: 'joined' }
  const { UploadId = '' } = await test.client.send(new CreateMultipartUploadCommand(place))
  const upload = { s3: test.client, bucket: 'data', key: 'joined', uploadId: UploadId }
  await expect(assemblePart(upload, 1, ranges)).rejects.toMatchObject({ code: 'source.changed' })
})
