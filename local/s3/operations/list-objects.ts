import { onBucket } from '../auth/access.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, queryValue } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { commonPrefixOf, type ListPosition, listObjects as listPage } from '../storage/listing.ts'
import { describeEntry } from './describe-entry.ts'
import { readEncoding, readLimit } from './request-arguments.ts'

/** The first version of the listing. Its marker is the last name of the page before. */
export const listObjects: Operation = {
  name: 'ListObjects',
  query: ['prefix', 'delimiter', 'max-keys', 'marker', 'encoding-type'],
  access: onBucket('s3:ListBucket'),
  run: (request, { store }) => {
    const bucket = bucketOf(request)
    store.buckets.get(bucket)
    const { type, encode } = readEncoding(request)
    const limit = readLimit(request, 'max-keys')
    const prefix = queryValue(request, 'prefix') ?? ''
    const delimiter = queryValue(request, 'delimiter') ?? ''
    const marker = queryValue(request, 'marker') ?? ''
    const page = listPage(store.database, {
      bucket,
      prefix,
      delimiter,
      limit,
      position: positionAfter(marker, prefix, delimiter),
    })
    const isTruncated = page.next !== undefined
    return xmlReply('ListBucketResult', {
      Name: bucket,
      Prefix: encode(prefix),
      Marker: encode(marker),
      // S3 sends it only with a delimiter; without one, clients use the last key.
      NextMarker: isTruncated && delimiter !== '' && page.last !== undefined ? encode(page.last) : undefined,
      MaxKeys: limit,
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      IsTruncated: isTruncated,
      Contents: page.objects.map(version => describeEntry(version, { encode, withOwner: true })),
      CommonPrefixes: page.commonPrefixes.map(commonPrefix => ({ Prefix: encode(commonPrefix) })),
    })
  },
}

const positionAfter = (marker: string, prefix: string, delimiter: string): ListPosition | undefined => {
  if (marker === '') return undefined
  // A marker that is a common prefix skips all keys under it.
  const isGroup = marker.startsWith(prefix) && commonPrefixOf(marker, prefix, delimiter) === marker
  return isGroup ? { afterPrefix: Buffer.from(marker) } : { afterKey: Buffer.from(marker) }
}
