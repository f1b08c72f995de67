import { onBucket } from '../auth/access.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, queryValue } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { listPage } from '../storage/listing.ts'
import { owner } from './list-buckets.ts'
import { readListing, startAfterMarker } from './read-listing.ts'

export const listMultipartUploads: Operation = {
  name: 'ListMultipartUploads',
  query: ['uploads', 'prefix', 'delimiter', 'max-uploads', 'key-marker', 'upload-id-marker', 'encoding-type'],
  access: onBucket('s3:ListBucketMultipartUploads'),
  run: (request, { store }) => {
    const bucket = bucketOf(request)
    store.buckets.get(bucket)
    const { describePage, ...listing } = readListing(request, 'max-uploads')
    const { limit, encode } = listing
    const keyMarker = queryValue(request, 'key-marker') ?? ''
    const idMarker = queryValue(request, 'upload-id-marker')
    const page = listPage(store.uploads.open(bucket), {
      ...listing,
      start: startAfterMarker(keyMarker, idMarker, listing),
    })
    const next = page.isTruncated ? page.last : undefined
    return xmlReply('ListMultipartUploadsResult', {
      Bucket: bucket,
      KeyMarker: encode(keyMarker),
      UploadIdMarker: idMarker ?? '',
      NextKeyMarker: next && encode(next.key),
      NextUploadIdMarker: next?.item?.id,
      MaxUploads: limit,
      Upload: page.items.map(({ key, id, initiated, description }) => ({
        Key: encode(key),
        UploadId: id,
        Initiator: owner,
        Owner: owner,
        StorageClass: description.storageClass,
        Initiated: new Date(initiated).toISOString(),
        ChecksumAlgorithm: description.checksum?.algorithm,
        ChecksumType: description.checksum?.type,
      })),
      ...describePage(page),
    })
  },
}
