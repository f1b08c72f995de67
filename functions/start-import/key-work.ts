import type { SourceObject } from '../lib/aws/multipart/source-object.ts'
import { asTransient } from '../lib/errors/as-transient.ts'
import { TransientError } from '../lib/errors/errors.ts'
import type { StartImportDependencies } from './dependencies.ts'
import { describeSource } from './describe-source.ts'
import type { LandedObject } from './event.ts'
import type { HeldKey } from './held-key.ts'
import { importVersion } from './import-version.ts'
import type { VersionMark } from './key-state.ts'
import { type LandingTarget, landingTarget } from './landing-target.ts'
import { objectVersionId } from './object-version.ts'
import type { Progress } from './progress.ts'
import type { StartImportResult, VersionRange } from './start-import-result.ts'

/** The version that the event names. */
export interface OwnVersion {
  source: SourceObject
  target: LandingTarget
  /** Identity of the object version. */
  versionId: string
}

/** One execution's work on a key of a bucket that keeps versions. */
export interface KeyWork {
  dependencies: StartImportDependencies
  key: HeldKey
  own: OwnVersion
  /** The own version, by S3's version id. */
  landed: LandedObject & { versionId: string }
}

export type Step =
  | { outcome: 'accepted'; jobId: number; fileId: number; progress: Progress }
  | { outcome: 'moving'; fileId: number; ranges: VersionRange[] }
  /** It cannot be imported; its own execution says why. */
  | { outcome: 'skipped' }

export const isOwn = ({ landed }: KeyWork, { versionId }: Pick<VersionMark, 'versionId'>): boolean =>
  versionId === landed.versionId

/** Identity of a version of the key. */
export const identityOf = ({ landed }: KeyWork, { versionId }: Pick<VersionMark, 'versionId'>): string =>
  objectVersionId({ ...landed, versionId }, '')

/** Where a version of the key goes and how it is read. Throws `UserError`. */
export const describeVersion = async (work: KeyWork, { versionId }: VersionMark) => {
  if (isOwn(work, { versionId })) return work.own
  const { dependencies, landed } = work
  const { source, metadata } = await describeSource(dependencies.s3, { ...landed, versionId })
  return { source, target: landingTarget(landed.key, metadata, dependencies.rules) }
}

/** Imports a version of the key. What is wrong with another one than the event's own does not stop this one. */
export const importOf = async (work: KeyWork, version: VersionMark, progress: Progress): Promise<Step> => {
  const { dependencies, key } = work
  const isOther = !isOwn(work, version)
  try {
    const { source, target } = await describeVersion(work, version)
    const step = await importVersion(dependencies, {
      source,
      target,
      versionId: identityOf(work, version),
      progress: { ...progress, round: key.state.round },
    })
    if (step.outcome === 'accepted') {
      key.change({ moving: undefined })
      return step
    }
    key.change({ moving: isOther ? version.versionId : undefined })
    return { ...step, ranges: step.ranges.map(range => ({ ...range, versionId: version.versionId })) }
  } catch (error) {
    const mayWorkLater = asTransient(error) instanceof TransientError
    if (!isOther || mayWorkLater) throw error
    dependencies.log.warn('an older version of the key cannot be imported', {
      key: work.landed.key,
      versionId: version.versionId,
      error,
    })
    return { outcome: 'skipped' }
  }
}

/** What the execution of the own version follows from here on. */
export const followJob = (
  { own }: KeyWork,
  outcome: 'started' | 'alreadyStarted',
  { jobId, fileId, reloadedVersions }: Pick<Progress, 'jobId' | 'fileId' | 'reloadedVersions'>,
): StartImportResult | undefined =>
  jobId === undefined || fileId === undefined
    ? undefined
    : { outcome, jobId, fileId, tableId: own.target.tableId, reloadedVersions }
