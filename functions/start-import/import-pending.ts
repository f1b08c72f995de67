import { executionOfJob } from '../lib/asked-wait.ts'
import { followJob, identityOf, importOf, isOwn, type KeyWork, type Step } from './import-version.ts'
import { jobEnd } from './job-end.ts'
import { nextAttempt, type Progress, type VersionMark } from './key-records.ts'
import { busy, type StartImportResult } from './start-import-result.ts'
import { versionsAfter } from './version-chain.ts'

/** A function has 15 minutes, and the largest object that it moves by itself takes some three. */
const LONGEST_PASS_MS = 5 * 60_000
const JOB_WAIT_SECONDS = 1

type PendingStep =
  | Step
  /** Its import is under way, or there is nothing to import: the next one may follow. */
  | { outcome: 'passed' }
  /** The next one has to wait until its job has ended. */
  | { outcome: 'unsettled'; jobId: number }

/**
 * Imports the versions that nobody has imported yet, oldest first, and those that are to be loaded again.
 *
 * The service runs the jobs of a table in the order in which it accepts them, so that the next version need not wait for
 * the end of a job; except of one that creates the table (it may fail, because another key was first), and while
 * versions are loaded again. Resolves to `undefined` when the own version was imported earlier.
 */
export const importPending = async (
  work: KeyWork,
  versions: readonly VersionMark[],
): Promise<StartImportResult | undefined> => {
  const { dependencies, key } = work
  const pending = versionsAfter(versions, key.state.through)
  const startedAt = dependencies.now().getTime()
  let ownResult: StartImportResult | undefined
  let hasOwn = !pending.some(version => isOwn(work, version))
  let last = key.state.through

  for (const version of pending) {
    const isAllowedToStop = hasOwn && !key.state.replay
    if (dependencies.now().getTime() - startedAt > LONGEST_PASS_MS)
      return isAllowedToStop ? ownResult : busy(JOB_WAIT_SECONDS)
    const step = await pendingStep(work, version, last)
    hasOwn ||= isOwn(work, version)
    if (step.outcome === 'moving') return step
    if (step.outcome === 'accepted' && isOwn(work, version))
      ownResult = followJob(work, 'started', step.progress, step.waitSeconds)
    if (isUnsettled(work, step)) {
      // All that came before it is done, also what was skipped.
      key.change({ through: last })
      return hasOwn && !key.state.replay ? ownResult : busy(JOB_WAIT_SECONDS, executionOfJob(step.jobId))
    }
    last = version
    if (step.outcome !== 'skipped') key.change({ through: version })
    if (version.versionId === key.state.replay?.to.versionId) await endReplay(work)
  }
  // The newest of the versions to load again was deleted meanwhile.
  if (key.state.replay) await endReplay(work)
  return ownResult
}

const isUnsettled = (
  { key }: KeyWork,
  step: PendingStep,
): step is Extract<PendingStep, { outcome: 'unsettled' | 'accepted' }> =>
  step.outcome === 'unsettled' ||
  (step.outcome === 'accepted' && (step.progress.isCreating || key.state.replay !== undefined))

const pendingStep = async (
  work: KeyWork,
  version: VersionMark,
  last: VersionMark | undefined,
): Promise<PendingStep> => {
  const { dependencies, key } = work
  const { round } = key.state
  const progress = await dependencies.records.progress(identityOf(work, version))
  if (progress.isSuperseded || (progress.isSkipped && !isOwn(work, version))) return { outcome: 'passed' }
  const begin = async (attempt: Progress): Promise<PendingStep> => {
    if (last && last.versionId !== key.state.through?.versionId) {
      // A version was skipped. Should we die after this import is accepted, the skipped version must not be tried again as if it were next.
      key.change({ through: last })
      await key.save()
    }
    const step = await importOf(work, version, attempt)
    if (step.outcome === 'skipped') await noteSkipped(work, version)
    return step
  }
  if (progress.jobId === undefined) return begin(progress)

  const isToReload = progress.round < round
  if (!isToReload && !progress.isCreating && !key.state.replay) return { outcome: 'passed' }
  const end = await jobEnd(dependencies.storage, progress.jobId)
  if (end === 'running') return { outcome: 'unsettled', jobId: progress.jobId }
  if (end === 'tableExists') return begin(nextAttempt(progress, round))
  if (end === 'success' && isToReload) return begin({ ...nextAttempt(progress, round), isReload: true })
  if (end === 'error' && progress.isReload) noteFailedReload(work, version)
  return { outcome: 'passed' }
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
    const versionId = identityOf(work, { versionId: late })
    await records.saveProgress(versionId, {
      ...(await records.progress(versionId)),
      failedReloads: failed,
      isFailureReported: false,
    })
  }
  key.change({ replay: undefined })
}
