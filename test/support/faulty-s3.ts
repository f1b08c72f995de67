import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { startTestS3, testRoot } from './embedded-s3.ts'
import { startFaultProxy } from './fault-proxy.ts'
import { untilEnd } from './until-end.ts'

/** An S3 with a bucket, and a client that reaches it through a proxy with faults, and tries again as it does anywhere. */
export const startFaultyS3 = async (bucket: string) => {
  const store = await untilEnd(startTestS3())
  const proxy = await untilEnd(startFaultProxy(store.s3.endpoint))
  const s3 = await untilEnd(
    new S3Client({
      endpoint: proxy.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: testRoot,
    }),
  )
  await store.client.send(new CreateBucketCommand({ Bucket: bucket }))
  return { store, proxy, s3 }
}
