import { executionOfJob } from '../lib/asked-wait.ts'
import { UserError } from '../lib/errors/errors.ts'
import { again, type ImportAnswer } from './import-answer.ts'
import { jobEnd } from './import-version.ts'
import { nextAttempt, type Progress, type VersionMark } from './key-records.ts'
import { identityOf, importOf, type KeyWork } from './key-work.ts'

/** Until a job is looked at that the next version waits for. */
export const JOB_WAIT_SECONDS = 1

export const superseded = (by = ''): ImportAnswer => ({ next: 'done', output: { outcome: 'superseded', by } })

/**
 * Imports a version after newer ones of its key, or once more.
 *
 * The table must become what it would be had all come in order. A newer version that replaced the table leaves nothing
 * of this one. Rows without a primary key are added once, wherever. Otherwise it is loaded, and then the newer ones
 * again after it, all of which were added to the table: the bucket still has their bytes.
 */
export const importLate = async (
  work: KeyWork,
  versions: readonly VersionMark[],
  { own, progress }: { own: VersionMark; progress: Progress },
): Promise<ImportAnswer> => {
  const { dependencies, key, landed } = work
  const { records, log } = dependencies
  const newer = await loadedAfter(work, versions, own)
  if (newer === 'running') return again(JOB_WAIT_SECONDS)
  const { replacedBy, added } = newer
  if (replacedBy !== undefined) {
    await records.saveProgress(work.own.versionId, {
      ...progress,
      isSuperseded: true,
      supersededBy: replacedBy,
    })
    log.info('superseded', { key: landed.key, versionId: own.versionId, by: replacedBy })
    return superseded(replacedBy)
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
  return (await finishLate(work)) ?? again(JOB_WAIT_SECONDS)
}

const importOwn = async (work: KeyWork, own: VersionMark, attempt: Progress): Promise<ImportAnswer> => {
  const step = await importOf(work, own, attempt)
  if (step.next === 'skipped') throw new Error('The event’s own version was skipped')
  return step.next === 'accepted' ? step.answer : step
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
export const finishLate = async (work: KeyWork): Promise<ImportAnswer | undefined> => {
  const { dependencies, key } = work
  const { storage, records } = dependencies
  const { late, through, round } = key.state
  if (!late || !through) return undefined
  const versionId = identityOf(work, late)
  const progress = await records.progress(versionId)
  const begin = async (attempt: Progress): Promise<ImportAnswer | undefined> => {
    const step = await importOf(work, late, attempt)
    if (step.next === 'each') return step
    if (step.next === 'accepted') return again(JOB_WAIT_SECONDS, executionOfJob(step.answer.jobId))
    key.change({ late: undefined })
    return undefined
  }
  if (progress.jobId === undefined) return begin(progress)

  const end = await jobEnd(storage, progress.jobId)
  if (end === 'running') return again(JOB_WAIT_SECONDS, executionOfJob(progress.jobId))
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

export const noteFailedReload = ({ key }: KeyWork, { versionId }: VersionMark): void => {
  const { replay } = key.state
  if (replay) key.change({ replay: { ...replay, failed: [...replay.failed, versionId] } })
}

/** Tells the late version's own execution what could not be loaded again after it. */
export const endReplay = async (work: KeyWork): Promise<void> => {
  const { dependencies, key } = work
  const { records } = dependencies
  const { of: late, failed = [] } = key.state.replay ?? {}
  if (late !== undefined && failed.length > 0) {
    const versionId = identityOf(work, { versionId: late })
    await records.saveProgress(versionId, {
      ...(await records.progress(versionId)),
      failedReloads: failed,
      isFailureReported: false,
    })
  }
  key.change({ replay: undefined })
}
