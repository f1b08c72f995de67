import { onBucket } from '../auth/access.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, queryValue } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { commonPrefixOf, endOf, listPage, successor } from '../storage/listing.ts'
import { describeEntry } from './describe-entry.ts'
import { readListing } from './read-listing.ts'

/** The first version of the listing. Its marker is the last name of the page before. */
export const listObjects: Operation = {
  name: 'ListObjects',
  query: ['prefix', 'delimiter', 'max-keys', 'marker', 'encoding-type'],
  access: onBucket('s3:ListBucket'),
  run: (request, { store }) => {
    const bucket = bucketOf(request)
    store.buckets.get(bucket)
    const { describePage, ...listing } = readListing(request, 'max-keys')
    const { prefix, delimiter, limit, encode } = listing
    const marker = queryValue(request, 'marker') ?? ''
    // A marker that is a common prefix skips all keys under it.
    const isGroup = commonPrefixOf(marker, prefix, delimiter) === marker
    const from = isGroup ? endOf(marker) : marker === '' ? Buffer.of() : successor(marker)
    const page = listPage(store.objects.current(bucket), { ...listing, start: { from } })
    return xmlReply('ListBucketResult', {
      Name: bucket,
      Marker: encode(marker),
      // S3 sends it only with a delimiter; without one, clients use the last key.
      NextMarker: page.isTruncated && delimiter !== '' && page.last ? encode(page.last.key) : undefined,
      MaxKeys: limit,
      Contents: page.items.map(version => describeEntry(version, { encode, withOwner: true })),
      ...describePage(page),
    })
  },
}
