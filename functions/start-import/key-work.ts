import { asTransient } from '../lib/errors/as-transient.ts'
import { TransientError } from '../lib/errors/errors.ts'
import type { LandedObject } from '../lib/landed-object.ts'
import type { StartImportDependencies } from './dependencies.ts'
import { importVersion, type OwnVersion, targetOf, type VersionStep } from './import-version.ts'
import type { HeldKey, Progress, VersionMark } from './key-records.ts'
import { describeSource, objectVersionId } from './object-version.ts'

/** One execution's work on a key of a bucket that keeps versions. */
export interface KeyWork {
  dependencies: StartImportDependencies
  key: HeldKey
  own: OwnVersion
  /** The own version, by S3's version id. */
  landed: LandedObject & { versionId: string }
}

type Step =
  | VersionStep
  /** It cannot be imported; its own execution says why. */
  | { next: 'skipped' }

export const isOwn = ({ landed }: KeyWork, { versionId }: Pick<VersionMark, 'versionId'>): boolean =>
  versionId === landed.versionId

/** Identity of a version of the key. */
export const identityOf = ({ landed }: KeyWork, { versionId }: Pick<VersionMark, 'versionId'>): string =>
  objectVersionId({ ...landed, versionId }, '')

/** Where a version of the key goes and how it is read. Throws `UserError`. */
const describeVersion = async (work: KeyWork, { versionId }: VersionMark) => {
  if (isOwn(work, { versionId })) return work.own
  const { dependencies, landed } = work
  const { source, metadata } = await describeSource(dependencies.s3, { ...landed, versionId })
  return { source, target: await targetOf(landed.key, metadata, dependencies) }
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
    key.change({ moving: step.next === 'each' && isOther ? version.versionId : undefined })
    return step
  } catch (error) {
    const mayWorkLater = asTransient(error) instanceof TransientError
    if (!isOther || mayWorkLater) throw error
    dependencies.log.warn('an older version of the key cannot be imported', {
      key: work.landed.key,
      versionId: version.versionId,
      error,
    })
    return { next: 'skipped' }
  }
}
