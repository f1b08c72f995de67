import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { createTableObjects } from '#lib/storage/tables/content/table-objects.ts'
import { startTestS3 } from '#support/embedded-s3.ts'

it('what is kept of a small object is as small as the object', async () => {
  const { client, close } = await startTestS3()
  try {
    await client.send(new CreateBucketCommand({ Bucket: 'tables' }))
    const location = 's3://tables/manifest.avro'
    const objects = createTableObjects(client, 'tables')
    // A piece of a block, as encoders give it.
    const content = Buffer.alloc(65_536).fill('x').subarray(0, 700)
    await objects.write([{ location, content }])
    const kept = await objects.read(location)
    expect([Buffer.compare(kept, content), kept.buffer.byteLength]).toEqual([0, 700])
  } finally {
    await close()
  }
})
