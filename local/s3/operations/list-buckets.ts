import { accessOf } from '../auth/access.ts'
import { invalidArgument } from '../errors.ts'
import { localAccountId } from '../events/object-created.ts'
import { xmlReply } from '../http/reply.ts'
import { queryValue, type S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'

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
