import { onBucket } from '../auth/access.ts'
import { invalidArgument } from '../errors.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, queryValue, type S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { endOf, listPage, successor } from '../storage/listing.ts'
import { describeEntry } from './describe-entry.ts'
import { readListing } from './read-listing.ts'

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
    const { describePage, ...listing } = readListing(request, 'max-keys')
    const { limit, encode } = listing
    const page = listPage(store.objects.current(bucket), { ...listing, start: { from: readStart(request) } })
    const { items, commonPrefixes, isTruncated, last } = page
    const startAfter = queryValue(request, 'start-after')
    return xmlReply('ListBucketResult', {
      Name: bucket,
      StartAfter: startAfter === undefined ? undefined : encode(startAfter),
      ContinuationToken: queryValue(request, 'continuation-token'),
      // The token is the key to begin at, so that it survives restarts and changes of the bucket.
      NextContinuationToken:
        isTruncated && last
          ? (last.item ? successor(last.key) : endOf(last.key)).toString('base64url')
          : undefined,
      KeyCount: items.length + commonPrefixes.length,
      MaxKeys: limit,
      Contents: items.map(item =>
        describeEntry(item, { encode, withOwner: queryValue(request, 'fetch-owner') === 'true' }),
      ),
      ...describePage(page),
    })
  },
}

const readStart = (request: S3Request): Buffer => {
  const token = queryValue(request, 'continuation-token')
  if (token === undefined) {
    const startAfter = queryValue(request, 'start-after')
    return startAfter === undefined ? Buffer.of() : successor(startAfter)
  }
  if (!/^[\w-]+$/.test(token))
    throw invalidArgument('The continuation token provided is incorrect', 'continuation-token', token)
  return Buffer.from(token, 'base64url')
}
