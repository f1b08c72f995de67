import { hexDigest } from '../lib/digests.ts'
import type { LandedObject } from '../lib/landed-object.ts'
import { NULL_VERSION } from './version-chain.ts'

/**
 * One stored version of one key, as an id that is safe in item keys and headers.
 *
 * Without a version id (a bucket that keeps none) the ETag stands for the content.
 */
export const objectVersionId = ({ bucket, key, versionId }: LandedObject, etag: string): string =>
  digest([bucket, key, versionId ?? etag])

/** One key of one bucket, whatever its version. */
export const objectKeyId = ({ bucket, key }: LandedObject): string => digest([bucket, key])

/** The version that S3 keeps of an object; `undefined` when the next write replaces it. */
export const storedVersion = ({ versionId }: { versionId?: string | undefined }): string | undefined =>
  versionId === NULL_VERSION ? undefined : versionId

const digest = (parts: readonly string[]): string => hexDigest(JSON.stringify(parts))
