import { z } from 'zod'
import { onBucket } from '../auth/access.ts'
import { S3Error } from '../errors.ts'
import { checkBucketAcl, readOwnership } from '../http/acl.ts'
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
    const ownership = readOwnership(request.headers)
    checkBucketAcl(request.headers, ownership)
    // There is one account, so an existing bucket belongs to the caller. S3 API Reference, "CreateBucket": in the first region
    // that is no error, for applications of old.
    const isThere = store.buckets.find(name) !== undefined
    if (isThere && region !== 'us-east-1')
      throw new S3Error('BucketAlreadyOwnedByYou', undefined, { BucketName: name })
    if (!isThere)
      await store.commit([], () => {
        store.buckets.create(name)
        store.buckets.set(name, 'ownership', ownership)
      })
    return { status: 200, headers: { location: `/${name}` } }
  },
}
