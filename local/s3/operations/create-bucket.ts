import { z } from 'zod'
import { onBucket } from '../auth/access.ts'
import { S3Error } from '../errors.ts'
import { readText } from '../http/read-text.ts'
import { bucketOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { parseXml } from '../xml/parse-xml.ts'

const Body = z.object({
  CreateBucketConfiguration: z.tuple([
    z.union([
      z.object({ LocationConstraint: z.tuple([z.string()]).optional() }),
      // An element without content.
      z.literal(''),
    ]),
  ]),
})

export const createBucket: Operation = {
  name: 'CreateBucket',
  access: onBucket('s3:CreateBucket'),
  run: async (request, { store, region }) => {
    const name = bucketOf(request)
    const text = await readText(request)
    if (text !== '') {
      const [configuration] = (await parseXml(text, Body, { maxElements: 16 })).CreateBucketConfiguration
      const location = configuration === '' ? undefined : configuration.LocationConstraint?.[0]
      if (location !== undefined && location !== region) throw new S3Error('InvalidLocationConstraint')
    }
    // There is one account, so an existing bucket belongs to the caller.
    if (store.buckets.find(name) !== undefined)
      throw new S3Error('BucketAlreadyOwnedByYou', undefined, { BucketName: name })
    await store.commit([], () => store.buckets.create(name))
    return { status: 200, headers: { location: `/${name}` } }
  },
}
