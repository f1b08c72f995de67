import { z } from 'zod'
import { accessOf, onBucket } from '../auth/access.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { localAccountId } from '../events/object-created.ts'
import { checkBucketAcl, readOwnership } from '../http/acl.ts'
import { readText } from '../http/read-text.ts'
import { type Reply, xmlReply } from '../http/reply.ts'
import { bucketOf, queryValue, type S3Request } from '../http/s3-request.ts'
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
        store.buckets.own(name, ownership)
      })
    return { status: 200, headers: { location: `/${name}` } }
  },
}

export const deleteBucket: Operation = {
  name: 'DeleteBucket',
  access: onBucket('s3:DeleteBucket'),
  run: async (request, { store }) => {
    store.buckets.get(bucketOf(request))
    await store.commit([], () => {
      store.buckets.remove(bucketOf(request))
      // Uploads that are open do not keep a bucket; they go with it.
      for (const { id, holder } of store.uploads.ofBucket(bucketOf(request))) {
        store.parts.remove(holder)
        store.uploads.remove(id)
      }
    })
    return { status: 204 }
  },
}

export const headBucket: Operation = {
  name: 'HeadBucket',
  access: onBucket('s3:ListBucket'),
  run: (request, { store, region }) => {
    store.buckets.get(bucketOf(request))
    return { status: 200, headers: { 'x-amz-bucket-region': region } }
  },
}

export const getBucketLocation: Operation = {
  name: 'GetBucketLocation',
  access: onBucket('s3:GetBucketLocation'),
  run: (request, { store, region }): Reply => {
    store.buckets.get(bucketOf(request))
    // S3 API Reference, GetBucketLocation: buckets in us-east-1 have no location constraint.
    return xmlReply('LocationConstraint', { '#text': region === 'us-east-1' ? '' : region })
  },
}

export const listBuckets: Operation = {
  name: 'ListBuckets',
  query: ['max-buckets', 'bucket-region', 'prefix', 'continuation-token'],
  access: request => [accessOf(request, 's3:ListAllMyBuckets', '*')],
  run: (request, { store, region }) => {
    const prefix = queryValue(request, 'prefix') ?? ''
    const asked = queryValue(request, 'bucket-region') ?? region
    const from = readToken(request)
    const buckets = store.buckets
      .list()
      .filter(({ name }) => asked === region && name.startsWith(prefix) && name > from)
    const limit = readLimit(request)
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

/** The name of the last bucket of the page before. */
const readToken = (request: S3Request): string => {
  const token = queryValue(request, 'continuation-token') ?? ''
  if (!/^[\w-]*$/.test(token))
    throw invalidArgument('The continuation token provided is incorrect', 'continuation-token', token)
  return Buffer.from(token, 'base64url').toString()
}

// S3 API Reference, "ListBuckets".
const mostBuckets = 10_000

const readLimit = (request: S3Request): number => {
  const value = queryValue(request, 'max-buckets') ?? String(mostBuckets)
  if (!/^[1-9]\d{0,4}$/.test(value) || Number(value) > mostBuckets)
    throw invalidArgument(`max-buckets must be an integer from 1 to ${mostBuckets}`, 'max-buckets', value)
  return Number(value)
}

/** The owner of everything here. */
export const owner = { ID: localAccountId, DisplayName: 'local' }

export const getBucketVersioning: Operation = {
  name: 'GetBucketVersioning',
  access: onBucket('s3:GetBucketVersioning'),
  run: (request, { store }) => {
    const { versioning } = store.buckets.get(bucketOf(request))
    return xmlReply('VersioningConfiguration', { Status: versioning === '' ? undefined : versioning })
  },
}

const VersioningBody = z.object({
  VersioningConfiguration: z.tuple([
    z.object({ Status: z.tuple([z.enum(['Enabled', 'Suspended'])]), MfaDelete: z.unknown().optional() }),
  ]),
})

export const putBucketVersioning: Operation = {
  name: 'PutBucketVersioning',
  access: onBucket('s3:PutBucketVersioning'),
  run: async (request, { store }) => {
    store.buckets.get(bucketOf(request))
    const text = await readText(request)
    const [{ Status, MfaDelete }] = (await parseXml(text, VersioningBody, { maxElements: 16 }))
      .VersioningConfiguration
    if (MfaDelete !== undefined) throw new S3Error('NotImplemented', 'MFA delete is not implemented.')
    await store.commit([], () => store.buckets.setVersioning(bucketOf(request), Status[0]))
    return { status: 200 }
  },
}
