import {
  HeadObjectCommand,
  ListObjectVersionsCommand,
  NotFound,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { SourceObject } from '../lib/cloud/multipart/source-object.ts'
import { hexDigest } from '../lib/digests.ts'
import { UserError } from '../lib/errors/errors.ts'
import type { LandedObject } from '../lib/landed-object.ts'
import type { VersionMark } from './key-records.ts'

/** S3's own name of what it replaces by the next write, while a bucket keeps no versions. */
const NULL_VERSION = 'null'

/** One stored version of one key. */
type ObjectVersion = Pick<LandedObject, 'bucket' | 'key'> & { versionId: string }

/** As an id that is safe in item keys and headers. */
export const objectVersionId = ({ bucket, key, versionId }: ObjectVersion): string =>
  digest([bucket, key, versionId])

/** One key of one bucket, whatever its version. */
export const objectKeyId = ({ bucket, key }: LandedObject): string => digest([bucket, key])

const digest = (parts: readonly string[]): string => hexDigest(JSON.stringify(parts))

export interface DescribedSource {
  source: SourceObject & ObjectVersion
  /** User metadata: lower-case names without `x-amz-meta-`. */
  metadata: Record<string, string>
}

/** Throws `UserError` (`landing.objectGone`, `landing.noVersions`). */
export const describeSource = async (
  s3: S3Client,
  { bucket, key, versionId: named }: LandedObject,
): Promise<DescribedSource> => {
  const head = await s3
    .send(new HeadObjectCommand({ Bucket: bucket, Key: key, VersionId: named }))
    .catch((cause: unknown) => {
      throw isGone(cause)
        ? new UserError('landing.objectGone', `The object ${key} is no longer in ${bucket}.`, { cause })
        : cause
    })
  const versionId = named ?? head.VersionId ?? NULL_VERSION
  if (versionId === NULL_VERSION)
    throw new UserError(
      'landing.noVersions',
      `The bucket ${bucket} kept no versions when ${key} was written, so the next write would replace it unread. ` +
        'Enable versioning of the bucket, and upload the object once more.',
    )
  // S3 sends both with every object; their absence would be a contract that changed.
  const [etag, bytes] = [required(head.ETag, 'ETag'), required(head.ContentLength, 'Content-Length')]
  return { source: { s3, bucket, key, versionId, etag, bytes }, metadata: head.Metadata ?? {} }
}

const isGone = (error: unknown): boolean =>
  error instanceof NotFound || (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404)

const required = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`S3 sent no ${name}`)
  return value
}

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
