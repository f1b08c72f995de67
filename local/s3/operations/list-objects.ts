import { owner } from '../account.ts'
import { onBucket } from '../auth/access.ts'
import { invalidArgument } from '../errors.ts'
import { storageClass } from '../http/object-description.ts'
import { xmlReply } from '../http/reply.ts'
import { queryValue, type S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { commonPrefixOf, endOf, type ListStart, listPage, successor } from '../storage/listing.ts'
import type { StoredVersion } from '../storage/stored-object.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { readEncoding, readLimit, readToken } from './request-arguments.ts'

/** The first version of the listing. Its marker is the last name of the page before. */
export const listObjects: Operation = {
  query: ['prefix', 'delimiter', 'max-keys', 'marker', 'encoding-type'],
  access: onBucket('s3:ListBucket'),
  run: (request, { store }) => {
    const { bucket } = request
    const { describePage, ...listing } = readListing(request, 'max-keys')
    const { prefix, delimiter, limit, encode } = listing
    const marker = queryValue(request, 'marker') ?? ''
    // A marker that is a common prefix skips all keys under it.
    const isGroup = commonPrefixOf(marker, prefix, delimiter) === marker
    const start = { from: isGroup ? endOf(marker) : behindKey(marker) }
    const page = listPage(store.objects.current(bucket), { ...listing, start })
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
  query: [
    ...['prefix', 'delimiter', 'max-keys', 'encoding-type'],
    ...['start-after', 'continuation-token', 'fetch-owner'],
  ],
  access: onBucket('s3:ListBucket'),
  run: (request, { store }) => {
    const { bucket } = request
    const version = queryValue(request, 'list-type')
    if (version !== '2') throw invalidArgument('Only list-type 2 is known', 'list-type', version ?? '')
    const { describePage, ...listing } = readListing(request, 'max-keys')
    const { limit, encode } = listing
    const startAfter = queryValue(request, 'start-after')
    const withOwner = queryValue(request, 'fetch-owner') === 'true'
    const start = { from: readToken(request) ?? behindKey(startAfter ?? '') }
    const page = listPage(store.objects.current(bucket), { ...listing, start })
    const { items, commonPrefixes, isTruncated, last } = page
    // The token is the key to begin at, so that it survives restarts and changes of the bucket.
    const next = isTruncated && last ? (last.item ? successor(last.key) : endOf(last.key)) : undefined
    return xmlReply('ListBucketResult', {
      Name: bucket,
      StartAfter: startAfter === undefined ? undefined : encode(startAfter),
      ContinuationToken: queryValue(request, 'continuation-token'),
      NextContinuationToken: next?.toString('base64url'),
      KeyCount: items.length + commonPrefixes.length,
      MaxKeys: limit,
      Contents: items.map(item => describeEntry(item, { encode, withOwner })),
      ...describePage(page),
    })
  },
}

/** Where the keys behind this one begin; without a key, all of them. */
const behindKey = (key: string): Buffer => (key === '' ? Buffer.of() : successor(key))

/** All versions and delete markers, by key, newest first. */
export const listObjectVersions: Operation = {
  query: ['prefix', 'delimiter', 'max-keys', 'key-marker', 'version-id-marker', 'encoding-type'],
  access: onBucket('s3:ListBucketVersions'),
  run: (request, { store }) => {
    const { bucket } = request
    const { describePage, ...listing } = readListing(request, 'max-keys')
    const { limit, encode } = listing
    const keyMarker = queryValue(request, 'key-marker') ?? ''
    const idMarker = queryValue(request, 'version-id-marker') ?? ''
    const behind = idMarker === '' ? undefined : store.objects.find(bucket, keyMarker, idMarker)?.sequence
    const start = startAfterMarker(keyMarker, behind, listing)
    const page = listPage(store.objects.versions(bucket), { ...listing, start })
    const next = page.isTruncated ? page.last : undefined
    const [markers, versions] = [true, false].map(isMarker =>
      page.items
        .filter(({ isDeleteMarker }) => isDeleteMarker === isMarker)
        .map(item => ({
          ...describeEntry(item, { encode, withOwner: true }),
          VersionId: item.versionId,
          IsLatest: item.isLatest,
        })),
    )
    return xmlReply('ListVersionsResult', {
      Name: bucket,
      KeyMarker: encode(keyMarker),
      VersionIdMarker: idMarker,
      NextKeyMarker: next && encode(next.key),
      NextVersionIdMarker: next?.item?.versionId,
      MaxKeys: limit,
      Version: versions,
      DeleteMarker: markers,
      ...describePage(page),
    })
  },
}

/** One object in a listing, or a delete marker. */
const describeEntry = (
  { key, modified, isDeleteMarker, etag, size }: StoredVersion,
  { encode, withOwner }: { encode: (key: string) => string; withOwner: boolean },
): XmlNode => ({
  Key: encode(key),
  LastModified: new Date(modified).toISOString(),
  Owner: withOwner ? owner : undefined,
  ...(isDeleteMarker ? {} : { ETag: `"${etag}"`, Size: size, StorageClass: storageClass }),
})

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
