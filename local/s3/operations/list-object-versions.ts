import { onBucket } from '../auth/access.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, queryValue } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { listPage } from '../storage/listing.ts'
import type { StoredVersion } from '../storage/stored-object.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { describeEntry } from './describe-entry.ts'
import { owner } from './list-buckets.ts'
import { readListing, startAfterMarker } from './read-listing.ts'

/** All versions and delete markers, by key, newest first. */
export const listObjectVersions: Operation = {
  name: 'ListObjectVersions',
  query: ['versions', 'prefix', 'delimiter', 'max-keys', 'key-marker', 'version-id-marker', 'encoding-type'],
  access: onBucket('s3:ListBucketVersions'),
  run: (request, { store }) => {
    const bucket = bucketOf(request)
    store.buckets.get(bucket)
    const { describePage, ...listing } = readListing(request, 'max-keys')
    const { limit, encode } = listing
    const keyMarker = queryValue(request, 'key-marker') ?? ''
    const idMarker = queryValue(request, 'version-id-marker') ?? ''
    const behind = idMarker === '' ? undefined : store.objects.version(bucket, keyMarker, idMarker)?.sequence
    const page = listPage(store.objects.versions(bucket), {
      ...listing,
      start: startAfterMarker(keyMarker, behind, listing),
    })
    const next = page.isTruncated ? page.last : undefined
    return xmlReply('ListVersionsResult', {
      Name: bucket,
      KeyMarker: encode(keyMarker),
      VersionIdMarker: idMarker,
      NextKeyMarker: next && encode(next.key),
      NextVersionIdMarker: next?.item?.versionId,
      MaxKeys: limit,
      Version: page.items
        .filter(({ isDeleteMarker }) => !isDeleteMarker)
        .map(version => describe(version, encode)),
      DeleteMarker: page.items
        .filter(({ isDeleteMarker }) => isDeleteMarker)
        .map(version => ({
          Key: encode(version.key),
          VersionId: version.versionId,
          IsLatest: version.isLatest,
          LastModified: new Date(version.modified).toISOString(),
          Owner: owner,
        })),
      ...describePage(page),
    })
  },
}

const describe = (version: StoredVersion, encode: (key: string) => string): XmlNode => ({
  ...describeEntry(version, { encode, withOwner: true }),
  VersionId: version.versionId,
  IsLatest: version.isLatest,
})
