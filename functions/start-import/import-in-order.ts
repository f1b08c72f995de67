import { executionOfJob } from '../lib/asked-wait.ts'
import { UserError } from '../lib/errors/errors.ts'
import { isTableMadeMeanwhile } from '../lib/storage-client/load-into-table.ts'
import type { StorageClient } from '../lib/storage-client/storage-client.ts'
import {
  again,
  followJob,
  type ImportAnswer,
  identityOf,
  importOf,
  isOwn,
  type KeyWork,
  type StartImportDependencies,
} from './import-version.ts'
import { nextAttempt, PROGRESS_EXPIRES_SECONDS, type Progress, type VersionMark } from './key-records.ts'
import { readVersions, versionsAfter } from './object-version.ts'

/** Until a job is looked at that the next version waits for. */
const JOB_WAIT_SECONDS = 1

/**
 * Imports the versions of a key in the order in which S3 stored them: first those that nobody has imported yet, whoever
 * heard of them, then the event's own. A version that comes after newer ones were loaded does not win over them.
 */
export const importInOrder = async (work: KeyWork): Promise<ImportAnswer> => {
  const { key } = work
  const { s3, bucket, key: name, versionId } = work.own.source
  const until = [versionId, key.state.through?.versionId]
  const versions = await readVersions(s3, { bucket, key: name, until })
  const own = versions.find(version => isOwn(work, version))
  if (!own) throw new UserError('landing.objectGone', `The object ${name} is no longer in ${bucket}.`)

  if (own !== versions.at(-1)) key.change({ mayHaveFailed: true })
  return (await importPending(work, versions)) ?? (await ownOutcome(work, versions, own))
}

const ownOutcome = async (
  work: KeyWork,
  versions: readonly VersionMark[],
  own: VersionMark,
): Promise<ImportAnswer> => {
  const progress = await work.dependencies.records.progress(work.own.versionId)
  if (progress.isSuperseded) return superseded(progress.supersededBy)
  refuseFailedReloads(work, progress)
  const follow = followJob(work.own, 'alreadyStarted', progress)
  if (follow && !(await isWantedAgain(work.dependencies, progress))) return follow
  if (!follow && isForgotten(work, own, progress))
    return { next: 'done', output: { outcome: 'alreadyImported' } }
  return importLate(work, versions, { own, progress })
}

const superseded = (by = ''): ImportAnswer => ({ next: 'done', output: { outcome: 'superseded', by } })

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

const refuseFailedReloads = ({ own }: KeyWork, { failedReloads, isFailureReported }: Progress): void => {
  if (failedReloads.length === 0 || isFailureReported) return
  throw new UserError(
    'landing.reloadFailed',
    `This version of ${own.source.key} came late. It was loaded, but newer versions could not be loaded again after it: ` +
      `${failedReloads.join(', ')}. Rows that they share with it show its values. Upload the newest version once more.`,
    { params: { versions: failedReloads } },
  )
}

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
): Promise<ImportAnswer> => {
  const { dependencies, key } = work
  const { records, log } = dependencies
  const { through, round } = key.state
  const facts = { key: work.own.source.key, versionId: own.versionId }
  const newer = await loadedAfter(work, versions, own)
  if (newer === 'running') return again(JOB_WAIT_SECONDS)
  const { replacedBy, added } = newer
  if (replacedBy !== undefined) {
    const noted = { ...progress, isSuperseded: true, supersededBy: replacedBy }
    await records.saveProgress(work.own.versionId, noted)
    log.info('superseded', { ...facts, by: replacedBy })
    return superseded(replacedBy)
  }

  const isReplay = through !== undefined && added.length > 0 && !(await isOnlyAdded(work))
  const nextRound = isReplay ? round + 1 : round
  const attempt = progress.jobId === undefined ? progress : nextAttempt(progress, nextRound)
  if (!isReplay) {
    const step = await importOf(work, own, attempt)
    if (step.next === 'skipped') throw new Error('The event’s own version was skipped')
    return step.next === 'accepted' ? step.answer : step
  }
  await records.saveProgress(work.own.versionId, { ...attempt, reloadedVersions: added.length })
  log.info('late: newer versions are loaded again', { ...facts, newer: added })
  key.change({ round: nextRound, through: own, replay: { of: own, to: through, failed: [] } })
  // In one write, before the job is accepted: whoever holds the key from here on loads this version, and the newer ones once more after it.
  await key.save()
  return (await importPending(work, versions)) ?? again(JOB_WAIT_SECONDS)
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

/** A function has 15 minutes, and the largest object that it moves by itself takes some three. */
const LONGEST_PASS_MS = 5 * 60_000

type PendingStep =
  | Awaited<ReturnType<typeof importOf>>
  /** Its import is under way, or there is nothing to import: the next one may follow. */
  | { next: 'passed' }
  /** It is not in the table, and its job is over. */
  | { next: 'lost' }
  /** The next one has to wait until its job has ended. */
  | { next: 'unsettled'; jobId: number }

/**
 * Imports the versions that nobody has imported yet, oldest first, and those that are to be loaded again after one that came late.
 *
 * The service runs the jobs of a table in the order in which it accepts them, so that the next version need not wait for
 * the end of a job; except of one that creates the table (it may fail, because another key was first), and while
 * versions are loaded again. Resolves to `undefined` when the own version was imported earlier.
 */
const importPending = async (
  work: KeyWork,
  versions: readonly VersionMark[],
): Promise<ImportAnswer | undefined> => {
  const { dependencies, key } = work
  const late = key.state.replay?.of
  const pending = [...(late ? [late] : []), ...versionsAfter(versions, key.state.through)]
  const startedAt = dependencies.now().getTime()
  let ownAnswer: ImportAnswer | undefined
  let hasOwn = !pending.some(version => isOwn(work, version))
  let last = key.state.through

  for (const version of pending) {
    const isLate = version === late
    const isAllowedToStop = hasOwn && !key.state.replay
    if (dependencies.now().getTime() - startedAt > LONGEST_PASS_MS)
      return isAllowedToStop ? ownAnswer : again(JOB_WAIT_SECONDS)
    const step = await pendingStep(work, version, last)
    hasOwn ||= isOwn(work, version)
    if (step.next === 'each') return step
    if (step.next === 'accepted' && isOwn(work, version)) ownAnswer = step.answer
    if (isUnsettled(work, step)) {
      // All that came before it is done, also what was skipped.
      key.change({ through: last })
      return hasOwn && !key.state.replay
        ? ownAnswer
        : again(JOB_WAIT_SECONDS, executionOfJob(step.next === 'unsettled' ? step.jobId : step.answer.jobId))
    }
    if (isLate) {
      if (step.next === 'passed') continue
      // It is not in the table: nothing is to be loaded again.
      key.change({ through: key.state.replay?.to, replay: undefined })
      return importPending(work, versions)
    }
    last = version
    if (step.next !== 'skipped') key.change({ through: version })
    if (version.versionId === key.state.replay?.to.versionId) await endReplay(work)
  }
  // The newest of the versions to load again was deleted meanwhile.
  if (key.state.replay) await endReplay(work)
  return ownAnswer
}

const isUnsettled = (
  { key }: KeyWork,
  step: PendingStep,
): step is Extract<PendingStep, { next: 'unsettled' | 'accepted' }> =>
  step.next === 'unsettled' ||
  (step.next === 'accepted' && (step.progress.isCreating || key.state.replay !== undefined))

const pendingStep = async (
  work: KeyWork,
  version: VersionMark,
  last: VersionMark | undefined,
): Promise<PendingStep> => {
  const { dependencies, key } = work
  const { round } = key.state
  const progress = await dependencies.records.progress(identityOf(work, version))
  if (progress.isSuperseded || (progress.isSkipped && !isOwn(work, version))) return { next: 'passed' }
  const begin = async (attempt: Progress): Promise<PendingStep> => {
    if (last && last.versionId !== key.state.through?.versionId) {
      // A version was skipped. Should we die after this import is accepted, the skipped version must not be tried again as if it were next.
      key.change({ through: last })
      await key.save()
    }
    const step = await importOf(work, version, attempt)
    if (step.next === 'skipped') await noteSkipped(work, version)
    return step
  }
  if (progress.jobId === undefined) return begin(progress)

  const isToReload = progress.round < round
  if (!isToReload && !progress.isCreating && !key.state.replay) return { next: 'passed' }
  const end = await jobEnd(dependencies.storage, progress.jobId)
  if (end === 'running') return { next: 'unsettled', jobId: progress.jobId }
  if (end === 'tableExists') return begin(nextAttempt(progress, round))
  if (end === 'error') {
    if (progress.isReload) noteFailedReload(work, version)
    return { next: 'lost' }
  }
  return isToReload ? begin({ ...nextAttempt(progress, round), isReload: true }) : { next: 'passed' }
}

/** A version before the mark of its key that has no record would pass for one whose record has expired. */
const noteSkipped = async (work: KeyWork, version: VersionMark): Promise<void> => {
  const { records } = work.dependencies
  const versionId = identityOf(work, version)
  const progress = await records.progress(versionId)
  if (progress.revision === 0) await records.saveProgress(versionId, progress)
}

const noteFailedReload = ({ key }: KeyWork, { versionId }: VersionMark): void => {
  const { replay } = key.state
  if (replay) key.change({ replay: { ...replay, failed: [...replay.failed, versionId] } })
}

/** Tells the late version's own execution what could not be loaded again after it. */
const endReplay = async (work: KeyWork): Promise<void> => {
  const { dependencies, key } = work
  const { records } = dependencies
  const { of: late, failed = [] } = key.state.replay ?? {}
  if (late !== undefined && failed.length > 0) {
    const versionId = identityOf(work, late)
    await records.saveProgress(versionId, {
      ...(await records.progress(versionId)),
      failedReloads: failed,
      isFailureReported: false,
    })
  }
  key.change({ replay: undefined })
}

type JobEnd =
  | 'running'
  | 'success'
  | 'error'
  /** It was to create a table that another job had created: the version is to be imported into that one. */
  | 'tableExists'

export const jobEnd = async (storage: StorageClient, jobId: number): Promise<JobEnd> => {
  const job = await storage.job(jobId).catch((error: unknown) => {
    if (error instanceof UserError && error.status === 404) return undefined
    throw error
  })
  // A service may forget its jobs after a while: this one was accepted long ago.
  if (!job || job.status === 'success') return 'success'
  if (job.status !== 'error') return 'running'
  return isTableMadeMeanwhile(job) ? 'tableExists' : 'error'
}

/** Asked for once more after its failure was reported; or its job was to create a table that exists meanwhile. */
const isWantedAgain = async (
  { storage }: Pick<StartImportDependencies, 'storage'>,
  { jobId, isCreating, isFailureReported }: Progress,
): Promise<boolean> => {
  if (jobId === undefined || !(isFailureReported || isCreating)) return false
  const end = await jobEnd(storage, jobId)
  return end === 'tableExists' || (end === 'error' && isFailureReported)
}
