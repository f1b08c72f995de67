import type { StoredVersion } from '../storage/stored-object.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { owner } from './list-buckets.ts'

/** One object in a listing. */
export const describeEntry = (
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
