import { onBucket } from '../auth/access.ts'
import { invalidArgument } from '../errors.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, queryValue, type S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { commonPrefixOf, endOf, type ListStart, listPage, successor } from '../storage/listing.ts'
import type { StoredVersion } from '../storage/stored-object.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { owner } from './buckets.ts'
import { readEncoding, readLimit } from './request-arguments.ts'

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

/** One object in a listing. */
const describeEntry = (
  version: StoredVersion,
  { encode, withOwner }: { encode: (key: string) => string; withOwner: boolean },
): XmlNode => {
  const { checksum } = version.description
  return {
    Key: encode(version.key),
    LastModified: new Date(version.modified).toISOString(),
    ETag: `"${version.etag}"`,
    ChecksumAlgorithm: checksum?.algorithm,
    ChecksumType: checksum?.type,
    Size: version.size,
    Owner: withOwner ? owner : undefined,
    StorageClass: version.description.storageClass,
  }
}

/** What every listing by keys is asked for. `describePage` is what each answer says of it. */
export const readListing = (request: S3Request, limitName: 'max-keys' | 'max-uploads') => {
  const { type, encode } = readEncoding(request)
  const prefix = queryValue(request, 'prefix') ?? ''
  const delimiter = queryValue(request, 'delimiter') ?? ''
  return {
    prefix,
    delimiter,
    limit: readLimit(request, limitName),
    encode,
    describePage: ({
      commonPrefixes,
      isTruncated,
    }: Pick<ReturnType<typeof listPage>, 'commonPrefixes' | 'isTruncated'>): XmlNode => ({
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      IsTruncated: isTruncated,
      CommonPrefixes: commonPrefixes.map(commonPrefix => ({ Prefix: encode(commonPrefix) })),
    }),
  }
}

/** Behind the marked one of a key, behind all of the key without `behind`, or behind the common prefix that holds it. */
export const startAfterMarker = <Mark>(
  key: string,
  behind: Mark | undefined,
  { prefix, delimiter }: { prefix: string; delimiter: string },
): ListStart<Mark> => {
  if (key === '') return { from: Buffer.of() }
  const group = commonPrefixOf(key, prefix, delimiter)
  if (group !== undefined) return { from: endOf(group) }
  return behind === undefined ? { from: successor(key) } : { from: Buffer.from(key), behind }
}
