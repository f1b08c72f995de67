import { UserError } from '../lib/errors/errors.ts'
import { finishLate, importLate } from './import-late.ts'
import { importPending } from './import-pending.ts'
import { followJob, isOwn, type KeyWork } from './import-version.ts'
import { isWantedAgain } from './job-end.ts'
import { PROGRESS_EXPIRES_SECONDS, type Progress, type VersionMark } from './key-records.ts'
import type { StartImportResult } from './start-import-result.ts'
import { readVersions } from './version-chain.ts'

/**
 * Imports the versions of a key in the order in which S3 stored them: first those that nobody has imported yet, whoever
 * heard of them, then the event's own. A version that comes after newer ones were loaded does not win over them.
 */
export const importInOrder = async (work: KeyWork): Promise<StartImportResult> => {
  const { dependencies, key, landed } = work
  const unfinished = await finishLate(work)
  if (unfinished) return unfinished

  const { bucket, versionId } = landed
  const until = [versionId, key.state.through?.versionId]
  const versions = await readVersions(dependencies.s3, { bucket, key: landed.key, until })
  const own = versions.find(version => isOwn(work, version))
  if (!own) throw new UserError('landing.objectGone', `The object ${landed.key} is no longer in ${bucket}.`)

  const stop = await importPending(work, versions)
  return stop ?? ownOutcome(work, versions, own)
}

const ownOutcome = async (
  work: KeyWork,
  versions: readonly VersionMark[],
  own: VersionMark,
): Promise<StartImportResult> => {
  const {
    dependencies,
    own: { versionId },
  } = work
  const progress = await dependencies.records.progress(versionId)
  if (progress.isSuperseded) return { outcome: 'superseded', by: progress.supersededBy ?? '' }
  refuseFailedReloads(work, progress)
  const follow = followJob(work, 'alreadyStarted', progress)
  if (follow)
    return (await isWantedAgain(dependencies, progress))
      ? importLate(work, versions, { own, progress })
      : follow
  if (isForgotten(work, own, progress)) return { outcome: 'alreadyImported' }
  return importLate(work, versions, { own, progress })
}

/** Its record has expired: what is older than the newest import known, and than any record, is not imported again. */
const isForgotten = (
  { dependencies, key }: KeyWork,
  own: VersionMark,
  { revision, fileId }: Progress,
): boolean => {
  if (revision > 0 || fileId !== undefined) return false
  const ageMs = dependencies.now().getTime() - Date.parse(own.modified)
  return own.versionId === key.state.through?.versionId || ageMs > PROGRESS_EXPIRES_SECONDS * 1000
}

const refuseFailedReloads = ({ landed }: KeyWork, { failedReloads, isFailureReported }: Progress): void => {
  if (failedReloads.length === 0 || isFailureReported) return
  throw new UserError(
    'landing.reloadFailed',
    `This version of ${landed.key} came late. It was loaded, but newer versions could not be loaded again after it: ` +
      `${failedReloads.join(', ')}. Rows that they share with it show its values. Upload the newest version once more.`,
    { params: { versions: failedReloads } },
  )
}
