import { z } from 'zod'
import { accessOf, onBucket } from '../auth/access.ts'
import { receiveText } from '../body/receive-body.ts'
import { S3Error } from '../errors.ts'
import { checkAcl } from '../http/accepted-headers.ts'
import { xmlReply } from '../http/reply.ts'
import { queryValue } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { parseXml } from '../xml/parse-xml.ts'
import { owner } from './bucket-settings.ts'
import { readNumber, readToken } from './request-arguments.ts'

const Body = z.object({
  CreateBucketConfiguration: z.tuple([
    z.union([
      z.object({ LocationConstraint: z.tuple([z.string()]).optional() }),
      // An element without content.
      z.literal('').transform(() => ({ LocationConstraint: undefined })),
    ]),
  ]),
})

export const createBucket: Operation = {
  access: onBucket('s3:CreateBucket'),
  needsNoBucket: true,
  run: async (request, { store, region }) => {
    const { bucket } = request
    const text = await receiveText(request)
    if (text !== '') {
      const [{ LocationConstraint }] = (await parseXml(text, Body, { maxElements: 16 }))
        .CreateBucketConfiguration
      if (LocationConstraint !== undefined && LocationConstraint[0] !== region)
        throw new S3Error('InvalidLocationConstraint')
    }
    checkAcl(request.headers, true)
    // There is one account, so an existing bucket belongs to the caller. S3 API Reference, "CreateBucket": in the first region
    // that is no error, for applications of old.
    if (store.buckets.find(bucket) !== undefined && region !== 'us-east-1')
      throw new S3Error('BucketAlreadyOwnedByYou', undefined, { BucketName: bucket })
    await store.commit([], () => store.buckets.create(bucket))
    return { status: 200, headers: { location: `/${bucket}` } }
  },
}

export const deleteBucket: Operation = {
  access: onBucket('s3:DeleteBucket'),
  run: async ({ bucket }, { store }) => {
    await store.commit([], () => {
      store.buckets.remove(bucket)
      // Uploads that are open do not keep a bucket; they go with it.
      for (const { id, holder } of store.uploads.ofBucket(bucket)) {
        store.parts.remove(holder)
        store.uploads.remove(id)
      }
    })
    return { status: 204 }
  },
}

export const headBucket: Operation = {
  access: onBucket('s3:ListBucket'),
  run: (_, { region }) => ({ status: 200, headers: { 'x-amz-bucket-region': region } }),
}

// S3 API Reference, "ListBuckets".
const mostBuckets = 10_000

export const listBuckets: Operation = {
  query: ['max-buckets', 'bucket-region', 'prefix', 'continuation-token'],
  access: request => [accessOf(request, 's3:ListAllMyBuckets', '*')],
  needsNoBucket: true,
  run: (request, { store, region }) => {
    const prefix = queryValue(request, 'prefix') ?? ''
    const asked = queryValue(request, 'bucket-region') ?? region
    const limit = readNumber(request, 'max-buckets', { least: 1, most: mostBuckets, otherwise: mostBuckets })
    /** The name of the last bucket of the page before. */
    const from = readToken(request)?.toString() ?? ''
    const buckets = store.buckets
      .list()
      .filter(({ name }) => asked === region && name.startsWith(prefix) && name > from)
    const page = buckets.slice(0, limit)
    const last = page.at(-1)?.name
    return xmlReply('ListAllMyBucketsResult', {
      Owner: owner,
      Buckets: {
        Bucket: page.map(({ name, created }) => ({
          Name: name,
          CreationDate: new Date(created).toISOString(),
          BucketRegion: region,
        })),
      },
      Prefix: prefix || undefined,
      ContinuationToken: last && buckets.length > limit ? Buffer.from(last).toString('base64url') : undefined,
    })
  },
}
