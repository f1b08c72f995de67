import { executionOfJob } from '../lib/asked-wait.ts'
import { UserError } from '../lib/errors/errors.ts'
import { importPending } from './import-pending.ts'
import { followJob, identityOf, importOf, isOwn, type KeyWork } from './import-version.ts'
import { isWantedAgain, jobEnd } from './job-end.ts'
import { nextAttempt, PROGRESS_EXPIRES_SECONDS, type Progress, type VersionMark } from './key-records.ts'
import { busy, type StartImportResult } from './start-import-result.ts'
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

  if (own !== versions.at(-1)) key.change({ mayHaveFailed: true })
  return (await importPending(work, versions)) ?? (await ownOutcome(work, versions, own))
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

const JOB_WAIT_SECONDS = 1

/**
 * Imports a version after newer ones of its key, or once more.
 *
 * The table must become what it would be had all come in order. A newer version that replaced the table leaves nothing
 * of this one. Rows without a primary key are added once, wherever. Otherwise it is loaded, and then the newer ones
 * again after it, all of which were added to the table: the bucket still has their bytes.
 */
const importLate = async (
  work: KeyWork,
  versions: readonly VersionMark[],
  { own, progress }: { own: VersionMark; progress: Progress },
): Promise<StartImportResult> => {
  const { dependencies, key, landed } = work
  const { records, log } = dependencies
  const newer = await loadedAfter(work, versions, own)
  if (newer === 'running') return busy(JOB_WAIT_SECONDS)
  const { replacedBy, added } = newer
  if (replacedBy !== undefined) {
    await records.saveProgress(work.own.versionId, {
      ...progress,
      isSuperseded: true,
      supersededBy: replacedBy,
    })
    log.info('superseded', { key: landed.key, versionId: own.versionId, by: replacedBy })
    return { outcome: 'superseded', by: replacedBy }
  }

  const attempt = progress.jobId === undefined ? progress : nextAttempt(progress, key.state.round)
  if (added.length === 0 || (await isOnlyAdded(work))) return importOwn(work, own, attempt)

  await records.saveProgress(work.own.versionId, { ...attempt, reloadedVersions: added.length })
  log.info('late: newer versions are loaded again', {
    key: landed.key,
    versionId: own.versionId,
    newer: added,
  })
  key.change({ late: own })
  // Saved before the job is accepted: from here on whoever holds the key loads the newer versions after it.
  await key.save()
  return (await finishLate(work)) ?? busy(JOB_WAIT_SECONDS)
}

const importOwn = async (work: KeyWork, own: VersionMark, attempt: Progress): Promise<StartImportResult> => {
  const step = await importOf(work, own, attempt)
  if (step.outcome === 'moving') return step
  const result = step.outcome === 'accepted' ? followJob(work, 'started', step.progress) : undefined
  if (!result) throw new Error('The event’s own version was skipped')
  return result
}

/** Rows that go to a table without a primary key stay whatever comes before or after them. */
const isOnlyAdded = async ({ dependencies, own }: KeyWork): Promise<boolean> => {
  const { incremental, tableId } = own.target
  if (!incremental) return false
  const table = await dependencies.storage.table(tableId).catch((error: unknown) => {
    if (error instanceof UserError && error.status === 404) return { primaryKey: [] }
    throw error
  })
  return table.primaryKey.length === 0
}

/** The newer versions that are in the table: those that were added, down to one that replaced it. */
const loadedAfter = async (
  work: KeyWork,
  versions: readonly VersionMark[],
  own: VersionMark,
): Promise<'running' | { replacedBy: string | undefined; added: string[] }> => {
  const { storage, records } = work.dependencies
  const added: string[] = []
  for (const version of versions.slice(0, versions.indexOf(own))) {
    const { jobId, isIncremental } = await records.progress(identityOf(work, version))
    if (jobId === undefined) continue
    const end = await jobEnd(storage, jobId)
    if (end === 'running') return 'running'
    if (end !== 'success') continue
    if (!isIncremental) return { replacedBy: version.versionId, added }
    added.push(version.versionId)
  }
  return { replacedBy: undefined, added }
}

/**
 * Goes on with a version that came late: waits for its job and then sends the newer versions after it. Resolves to
 * `undefined` when there is none, or none any more.
 */
const finishLate = async (work: KeyWork): Promise<StartImportResult | undefined> => {
  const { dependencies, key } = work
  const { storage, records } = dependencies
  const { late, through, round } = key.state
  if (!late || !through) return undefined
  const versionId = identityOf(work, late)
  const progress = await records.progress(versionId)
  const begin = async (attempt: Progress): Promise<StartImportResult | undefined> => {
    const step = await importOf(work, late, attempt)
    if (step.outcome === 'moving') return step
    if (step.outcome === 'accepted') return busy(JOB_WAIT_SECONDS, executionOfJob(step.jobId))
    key.change({ late: undefined })
    return undefined
  }
  if (progress.jobId === undefined) return begin(progress)

  const end = await jobEnd(storage, progress.jobId)
  if (end === 'running') return busy(JOB_WAIT_SECONDS, executionOfJob(progress.jobId))
  if (end === 'tableExists')
    return begin({ ...nextAttempt(progress, round), reloadedVersions: progress.reloadedVersions })
  if (end === 'error') key.change({ late: undefined })
  else {
    // In one write, so that each of the newer versions is loaded once more and not twice.
    const replay = { to: through, of: late.versionId, failed: [] }
    key.change({ late: undefined, through: late, round: round + 1, replay })
    await key.save()
  }
  return undefined
}
