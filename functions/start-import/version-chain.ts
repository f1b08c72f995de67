import { ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3'
import type { VersionMark } from './key-records.ts'

/** S3's own name of the version that a key has while its bucket keeps none. */
export const NULL_VERSION = 'null'

/**
 * The versions of a key, newest first, down to the last of those that are asked for; all of them when one is not there.
 *
 * S3 lists strongly consistently, and versions of one key in the order in which it stored them (API Reference,
 * "ListObjectVersions"): an event is only a hint, this list is the truth. Delete markers are left out: to delete a file
 * says nothing about its table.
 */
export const readVersions = async (
  s3: S3Client,
  { bucket, key, until }: { bucket: string; key: string; until: readonly (string | undefined)[] },
): Promise<VersionMark[]> => {
  const versions: VersionMark[] = []
  const wanted = new Set(until)
  for await (const version of listVersions(s3, bucket, key)) {
    versions.push(version)
    wanted.delete(version.versionId)
    if (wanted.size === 0) break
  }
  return versions
}

async function* listVersions(s3: S3Client, bucket: string, key: string): AsyncGenerator<VersionMark> {
  let next: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | undefined = {}
  while (next) {
    const page: Awaited<ReturnType<typeof listPage>> = await listPage(s3, {
      Bucket: bucket,
      Prefix: key,
      ...next,
    })
    for (const { Key, VersionId, LastModified } of page.Versions ?? []) {
      if (Key === key && VersionId && VersionId !== NULL_VERSION && LastModified)
        yield { versionId: VersionId, modified: LastModified.toISOString() }
    }
    // The key itself comes before all others that begin with it.
    next =
      page.IsTruncated && page.NextKeyMarker === key
        ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
        : undefined
  }
}

const listPage = (s3: S3Client, input: ConstructorParameters<typeof ListObjectVersionsCommand>[0]) =>
  s3.send(new ListObjectVersionsCommand(input))

/** The place of a version in a list, newest first. One that is no longer there is placed by its time. */
const placeOf = (versions: readonly VersionMark[], mark: VersionMark): number => {
  const place = versions.findIndex(({ versionId }) => versionId === mark.versionId)
  if (place >= 0) return place
  const older = versions.findIndex(({ modified }) => modified < mark.modified)
  return older >= 0 ? older - 0.5 : versions.length - 0.5
}

/** Those that S3 stored after `mark`, oldest first; all of them without one. */
export const versionsAfter = (
  versions: readonly VersionMark[],
  mark: VersionMark | undefined,
): VersionMark[] =>
  versions.slice(0, mark ? Math.ceil(placeOf(versions, mark)) : versions.length).toReversed()
