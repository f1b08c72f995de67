import { onBucket } from '../auth/access.ts'
import { invalidArgument } from '../errors.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, queryValue, type S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { type ListPosition, listObjects } from '../storage/listing.ts'
import { describeEntry } from './describe-entry.ts'
import { readEncoding, readLimit } from './request-arguments.ts'

export const listObjectsV2: Operation = {
  name: 'ListObjectsV2',
  query: [
    'list-type',
    'prefix',
    'delimiter',
    'max-keys',
    'start-after',
    'continuation-token',
    'encoding-type',
    'fetch-owner',
  ],
  access: onBucket('s3:ListBucket'),
  run: (request, { store }) => {
    const bucket = bucketOf(request)
    const version = queryValue(request, 'list-type')
    if (version !== '2') throw invalidArgument('Only list-type 2 is known', 'list-type', version ?? '')
    store.buckets.get(bucket)
    const { type, encode } = readEncoding(request)
    const limit = readLimit(request, 'max-keys')
    const prefix = queryValue(request, 'prefix') ?? ''
    const delimiter = queryValue(request, 'delimiter') ?? ''
    const page = listObjects(store.database, {
      bucket,
      prefix,
      delimiter,
      limit,
      position: readPosition(request),
    })
    const startAfter = queryValue(request, 'start-after')
    return xmlReply('ListBucketResult', {
      Name: bucket,
      Prefix: encode(prefix),
      StartAfter: startAfter === undefined ? undefined : encode(startAfter),
      ContinuationToken: queryValue(request, 'continuation-token'),
      NextContinuationToken: page.next === undefined ? undefined : formatToken(page.next),
      KeyCount: page.objects.length + page.commonPrefixes.length,
      MaxKeys: limit,
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      IsTruncated: page.next !== undefined,
      Contents: page.objects.map(version =>
        describeEntry(version, { encode, withOwner: queryValue(request, 'fetch-owner') === 'true' }),
      ),
      CommonPrefixes: page.commonPrefixes.map(commonPrefix => ({ Prefix: encode(commonPrefix) })),
    })
  },
}

const readPosition = (request: S3Request): ListPosition | undefined => {
  const token = queryValue(request, 'continuation-token')
  if (token !== undefined) return parseToken(token)
  const startAfter = queryValue(request, 'start-after')
  return startAfter === undefined ? undefined : { afterKey: Buffer.from(startAfter) }
}

// The token holds the last key, so that it survives restarts and changes of the bucket.
const formatToken = (position: ListPosition): string =>
  'afterKey' in position
    ? `k${position.afterKey.toString('base64url')}`
    : `p${position.afterPrefix.toString('base64url')}`

const parseToken = (token: string): ListPosition => {
  const [, kind, position] = /^([kp])([\w-]+)$/.exec(token) ?? []
  if (kind === undefined || position === undefined)
    throw invalidArgument('The continuation token provided is incorrect', 'continuation-token', token)
  const bytes = Buffer.from(position, 'base64url')
  return kind === 'k' ? { afterKey: bytes } : { afterPrefix: bytes }
}
