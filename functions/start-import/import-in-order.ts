import { executionOfJob } from '../lib/asked-wait.ts'
import { UserError } from '../lib/errors/errors.ts'
import { again, followJob, type ImportAnswer } from './import-answer.ts'
import { isWantedAgain, jobEnd } from './import-version.ts'
import { nextAttempt, PROGRESS_EXPIRES_SECONDS, type Progress, type VersionMark } from './key-records.ts'
import { identityOf, importOf, isOwn, type KeyWork } from './key-work.ts'
import {
  endReplay,
  finishLate,
  importLate,
  JOB_WAIT_SECONDS,
  noteFailedReload,
  superseded,
} from './late-versions.ts'
import { readVersions, versionsAfter } from './object-version.ts'

/**
 * Imports the versions of a key in the order in which S3 stored them: first those that nobody has imported yet, whoever
 * heard of them, then the event's own. A version that comes after newer ones were loaded does not win over them.
 */
export const importInOrder = async (work: KeyWork): Promise<ImportAnswer> => {
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
): Promise<ImportAnswer> => {
  const {
    dependencies,
    own: { versionId },
  } = work
  const progress = await dependencies.records.progress(versionId)
  if (progress.isSuperseded) return superseded(progress.supersededBy)
  refuseFailedReloads(work, progress)
  const follow = followJob(work.own, 'alreadyStarted', progress)
  if (follow)
    return (await isWantedAgain(dependencies, progress))
      ? importLate(work, versions, { own, progress })
      : follow
  if (isForgotten(work, own, progress)) return { next: 'done', output: { outcome: 'alreadyImported' } }
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

/** A function has 15 minutes, and the largest object that it moves by itself takes some three. */
const LONGEST_PASS_MS = 5 * 60_000

type PendingStep =
  | Awaited<ReturnType<typeof importOf>>
  /** Its import is under way, or there is nothing to import: the next one may follow. */
  | { next: 'passed' }
  /** The next one has to wait until its job has ended. */
  | { next: 'unsettled'; jobId: number }

/**
 * Imports the versions that nobody has imported yet, oldest first, and those that are to be loaded again.
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
  const pending = versionsAfter(versions, key.state.through)
  const startedAt = dependencies.now().getTime()
  let ownAnswer: ImportAnswer | undefined
  let hasOwn = !pending.some(version => isOwn(work, version))
  let last = key.state.through

  for (const version of pending) {
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
  if (end === 'success' && isToReload) return begin({ ...nextAttempt(progress, round), isReload: true })
  if (end === 'error' && progress.isReload) noteFailedReload(work, version)
  return { next: 'passed' }
}

/** A version before the mark of its key that has no record would pass for one whose record has expired. */
const noteSkipped = async (work: KeyWork, version: VersionMark): Promise<void> => {
  const { records } = work.dependencies
  const versionId = identityOf(work, version)
  const progress = await records.progress(versionId)
  if (progress.revision === 0) await records.saveProgress(versionId, progress)
}
