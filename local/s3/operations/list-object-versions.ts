import { onBucket } from '../auth/access.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, queryValue } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { commonPrefixOf, versionsAfter } from '../storage/listing.ts'
import type { StoredVersion } from '../storage/stored-object.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { describeEntry } from './describe-entry.ts'
import { owner } from './list-buckets.ts'
import { readEncoding, readLimit } from './request-arguments.ts'

/** All versions and delete markers, by key, newest first. */
export const listObjectVersions: Operation = {
  name: 'ListObjectVersions',
  query: ['versions', 'prefix', 'delimiter', 'max-keys', 'key-marker', 'version-id-marker', 'encoding-type'],
  access: onBucket('s3:ListBucketVersions'),
  run: (request, { store }) => {
    const bucket = bucketOf(request)
    store.buckets.get(bucket)
    const { type, encode } = readEncoding(request)
    const limit = readLimit(request, 'max-keys')
    const prefix = queryValue(request, 'prefix') ?? ''
    const delimiter = queryValue(request, 'delimiter') ?? ''
    const keyMarker = queryValue(request, 'key-marker') ?? ''
    const idMarker = queryValue(request, 'version-id-marker') ?? ''
    const after = idMarker === '' ? undefined : store.objects.version(bucket, keyMarker, idMarker)?.sequence

    const versions: StoredVersion[] = []
    const groups = new Set<string>()
    let next: { key: string; id: string } | undefined
    let last = { key: '', id: '' }
    for (const version of versionsAfter(store.database, bucket, {
      prefix,
      key: keyMarker,
      sequence: after,
    })) {
      const group = commonPrefixOf(version.key, prefix, delimiter)
      if (group !== undefined && (groups.has(group) || keyMarker.startsWith(group))) continue
      if (versions.length + groups.size === limit) {
        next = last
        break
      }
      if (group === undefined) versions.push(version)
      else groups.add(group)
      last = group === undefined ? { key: version.key, id: version.versionId } : { key: group, id: '' }
    }
    return xmlReply('ListVersionsResult', {
      Name: bucket,
      Prefix: encode(prefix),
      KeyMarker: encode(keyMarker),
      VersionIdMarker: idMarker,
      NextKeyMarker: next === undefined ? undefined : encode(next.key),
      NextVersionIdMarker: next === undefined || next.id === '' ? undefined : next.id,
      MaxKeys: limit,
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      EncodingType: type,
      IsTruncated: next !== undefined,
      Version: versions
        .filter(({ isDeleteMarker }) => !isDeleteMarker)
        .map(version => describe(version, encode)),
      DeleteMarker: versions
        .filter(({ isDeleteMarker }) => isDeleteMarker)
        .map(version => ({
          Key: encode(version.key),
          VersionId: version.versionId,
          IsLatest: version.isLatest,
          LastModified: new Date(version.modified).toISOString(),
          Owner: owner,
        })),
      CommonPrefixes: [...groups].map(group => ({ Prefix: encode(group) })),
    })
  },
}

const describe = (version: StoredVersion, encode: (key: string) => string): XmlNode => ({
  ...describeEntry(version, { encode, withOwner: true }),
  VersionId: version.versionId,
  IsLatest: version.isLatest,
})
