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
  type VersionStep,
} from './import-version.ts'
import { nextAttempt, PROGRESS_EXPIRES_SECONDS, type Progress, type VersionMark } from './key-records.ts'
import { readVersions, versionsAfter } from './object-version.ts'

/**
 * Imports the versions of a key in the order in which S3 stored them, whoever heard of them: first a late one with those
 * that are loaded again behind it, then those that nobody has imported yet, then the event's own.
 */
export const importInOrder = async (work: KeyWork): Promise<ImportAnswer> => {
  const { key } = work
  const { s3, bucket, key: name, versionId } = work.own.source
  const until = [versionId, (key.state.late ?? key.state.through)?.versionId]
  const versions = await readVersions(s3, { bucket, key: name, until })
  const own = versions.find(version => isOwn(work, version))
  if (!own) throw new UserError('landing.objectGone', `The object ${name} is no longer in ${bucket}.`)

  if (own !== versions.at(-1)) key.change({ mayHaveFailed: true })
  return (
    (await importLate(work, versions)) ??
    (await importNew(work, versions)) ??
    (await ownOutcome(work, versions, own))
  )
}

/** Until a job is looked at that the next version waits for. */
const JOB_WAIT_SECONDS = 1

const afterJob = (jobId: number): ImportAnswer => again(JOB_WAIT_SECONDS, executionOfJob(jobId))

/** A function has 15 minutes, and the largest object that it moves by itself takes some three. */
const LONGEST_PASS_MS = 5 * 60_000

/** Whether the pass that begins here has lasted so long that the next function goes on. */
const passOf = ({ services }: KeyWork): (() => boolean) => {
  const endsAt = services.now().getTime() + LONGEST_PASS_MS
  return () => services.now().getTime() > endsAt
}

/**
 * Imports the versions that nobody has imported yet, oldest first.
 *
 * The service runs the jobs of a table in the order in which it accepts them, so that the next version need not wait for
 * the end of a job; except of one that creates the table: it may fail, because another key was first. Resolves to
 * `undefined` when the own version was imported earlier.
 */
const importNew = async (
  work: KeyWork,
  versions: readonly VersionMark[],
): Promise<ImportAnswer | undefined> => {
  const { key } = work
  const pending = versionsAfter(versions, key.state.through)
  const isTooLong = passOf(work)
  let isOwnLeft = pending.some(version => isOwn(work, version))
  let ownAnswer: ImportAnswer | undefined

  for (const version of pending) {
    if (isTooLong()) return isOwnLeft ? again(JOB_WAIT_SECONDS) : ownAnswer
    const step = await newStep(work, version)
    if (step.next === 'each') return step
    if (isOwn(work, version)) {
      isOwnLeft = false
      if (step.next === 'accepted') ownAnswer = step.answer
    }
    // The mark stays before it.
    if ('creatingJob' in step && step.creatingJob !== undefined)
      return isOwnLeft ? afterJob(step.creatingJob) : ownAnswer
    key.change({ through: version })
  }
  return ownAnswer
}

const newStep = async (
  work: KeyWork,
  version: VersionMark,
): Promise<VersionStep | { next: 'passed'; creatingJob?: number }> => {
  const { records, storage } = work.services
  const progress = await records.progress(identityOf(work, version))
  const { jobId, isCreating, isSkipped, supersededBy } = progress
  if (isSkipped || supersededBy !== undefined) return { next: 'passed' }
  if (jobId === undefined) return importOf(work, version, progress)
  const end = isCreating ? await jobEnd(storage, jobId) : 'success'
  if (end === 'tableExists') return importOf(work, version, nextAttempt(progress))
  return { next: 'passed', ...(end === 'running' && { creatingJob: jobId }) }
}

/**
 * Loads the late version of the key's state, and then once more those that were added to the table before it: the bucket
 * still has their bytes. Resolves to `undefined` when that is done, or when the late one came to nothing.
 */
const importLate = async (
  work: KeyWork,
  versions: readonly VersionMark[],
): Promise<ImportAnswer | undefined> => {
  const { key, services } = work
  const { late } = key.state
  if (!late) return undefined
  const progress = await services.records.progress(identityOf(work, late))
  const begun = progress.jobId === undefined ? await importOf(work, late, progress) : undefined
  if (begun?.next === 'each') return begun
  const jobId = begun?.next === 'accepted' ? begun.answer.jobId : progress.jobId
  const end = jobId === undefined ? 'error' : await jobEnd(services.storage, jobId)
  if (jobId !== undefined && end === 'running') return afterJob(jobId)
  const answer = end === 'success' ? await loadAgain(work, versionsAfter(versions, late), late) : undefined
  if (answer) return answer
  // A newer version whose job is accepted from here on comes behind it by itself.
  key.change({ late: undefined })
  await key.save()
  return undefined
}

/** Which of them are done can be read in their records, so that a repeated call goes on. */
const loadAgain = async (
  work: KeyWork,
  newer: readonly VersionMark[],
  late: VersionMark,
): Promise<ImportAnswer | undefined> => {
  const { records, storage } = work.services
  const isTooLong = passOf(work)
  for (const version of newer) {
    if (isTooLong()) return again(JOB_WAIT_SECONDS)
    const progress = await records.progress(identityOf(work, version))
    const { jobId, reloadOf, isSkipped } = progress
    const isBegun = reloadOf === late.versionId
    if (isSkipped || isBegun !== (jobId === undefined)) continue
    if (jobId !== undefined) {
      const end = await jobEnd(storage, jobId)
      if (end === 'running') return afterJob(jobId)
      // It is not in the table.
      if (end !== 'success') continue
    }
    const attempt = isBegun ? progress : { ...nextAttempt(progress), reloadOf: late.versionId }
    const step = await importOf(work, version, attempt)
    if (step.next === 'each') return step
  }
  return undefined
}

/** What becomes of the event's own version when all before it, and all after it, are on their way. */
const ownOutcome = async (
  work: KeyWork,
  versions: readonly VersionMark[],
  own: VersionMark,
): Promise<ImportAnswer> => {
  const { records, storage } = work.services
  const progress = await records.progress(work.own.versionId)
  const { jobId, supersededBy, isFailureReported, isCreating } = progress
  if (supersededBy !== undefined) return superseded(supersededBy)
  if (jobId === undefined && isForgotten(work, own, progress))
    return { next: 'done', output: { outcome: 'alreadyImported' } }
  const newer = versions.slice(0, versions.indexOf(own))
  if (jobId !== undefined && (isFailureReported || isCreating)) {
    // Asked for once more after its failure was reported; or its job was to create a table that exists meanwhile.
    const end = await jobEnd(storage, jobId)
    if (end === 'tableExists' || (end === 'error' && isFailureReported))
      return importOwn(work, newer, nextAttempt(progress), versions)
  }
  const follow = followJob(work.own, 'alreadyStarted', progress)
  return follow
    ? ((await endOfReloads(work, newer, progress)) ?? follow)
    : importOwn(work, newer, progress, versions)
}

const superseded = (by: string): ImportAnswer => ({ next: 'done', output: { outcome: 'superseded', by } })

/** Its record has expired: what is older than the newest import known, and than any record, is not imported again. */
const isForgotten = ({ services, key }: KeyWork, own: VersionMark, progress: Progress): boolean => {
  if (progress.revision > 0) return false
  const ageMs = services.now().getTime() - Date.parse(own.modified)
  return own.versionId === key.state.through?.versionId || ageMs > PROGRESS_EXPIRES_SECONDS * 1000
}

/** A late version has come to its end with the last of those that are loaded again after it. Throws `UserError`. */
const endOfReloads = async (
  work: KeyWork,
  newer: readonly VersionMark[],
  { reloadedVersions, isFailureReported }: Progress,
): Promise<ImportAnswer | undefined> => {
  if (reloadedVersions === 0 || isFailureReported) return undefined
  const { source } = work.own
  const failed: string[] = []
  for (const version of newer) {
    const { reloadOf, jobId } = await work.services.records.progress(identityOf(work, version))
    if (reloadOf !== source.versionId) continue
    const end = jobId === undefined ? 'error' : await jobEnd(work.services.storage, jobId)
    if (jobId !== undefined && end === 'running') return afterJob(jobId)
    if (end !== 'success') failed.unshift(version.versionId)
  }
  if (failed.length === 0) return undefined
  throw new UserError(
    'landing.reloadFailed',
    `This version of ${source.key} came late. It was loaded, but newer versions could not be loaded again after it: ` +
      `${failed.join(', ')}. Rows that they share with it show its values. Upload the newest version once more.`,
    { params: { versions: failed } },
  )
}

/**
 * Imports the own version after newer ones of its key, or once more.
 *
 * The table must become what it would be had all come in order. A newer version that replaced the table leaves nothing
 * of this one. Rows without a primary key are added once, wherever. Otherwise it is loaded, and then the newer ones
 * again after it, all of which were added to the table.
 */
const importOwn = async (
  work: KeyWork,
  newer: readonly VersionMark[],
  attempt: Progress,
  versions: readonly VersionMark[],
): Promise<ImportAnswer> => {
  const { services, key, own } = work
  const facts = { key: own.source.key, versionId: own.versionId }
  const after = await loadedOf(work, newer)
  if (after.running !== undefined) return afterJob(after.running)
  const { replacedBy, added } = after
  if (replacedBy !== undefined) {
    await services.records.saveProgress(own.versionId, { ...attempt, supersededBy: replacedBy })
    services.log.info('superseded', { ...facts, by: replacedBy })
    return superseded(replacedBy)
  }

  const mark = versions[newer.length]
  if (!mark) throw new Error('The own version is one of those in the bucket')
  if (added.length === 0 || (await isOnlyAdded(work))) {
    const step = await importOf(work, mark, attempt)
    if (step.next === 'skipped') throw new Error('The event’s own version was skipped')
    return step.next === 'accepted' ? step.answer : step
  }
  await services.records.saveProgress(own.versionId, { ...attempt, reloadedVersions: added.length })
  services.log.info('late: newer versions are loaded again', { ...facts, newer: added })
  // Saved before its job is accepted: whoever holds the key from here on loads this version, and the newer ones once more after it.
  key.change({ late: mark })
  await key.save()
  return (await importLate(work, versions)) ?? again(JOB_WAIT_SECONDS)
}

/** Rows that go to a table without a primary key stay whatever comes before or after them. */
const isOnlyAdded = async ({ services, own }: KeyWork): Promise<boolean> => {
  const { incremental, tableId } = own.target
  if (!incremental) return false
  const table = await services.storage.table(tableId).catch((error: unknown) => {
    if (error instanceof UserError && error.status === 404) return { primaryKey: [] }
    throw error
  })
  return table.primaryKey.length === 0
}

/** What is in the table of these versions, newest first: those that were added, down to one that replaced it. */
const loadedOf = async (
  work: KeyWork,
  versions: readonly VersionMark[],
): Promise<{ running?: number; replacedBy?: string; added: string[] }> => {
  const added: string[] = []
  for (const version of versions) {
    const { jobId, isIncremental } = await work.services.records.progress(identityOf(work, version))
    if (jobId === undefined) continue
    const end = await jobEnd(work.services.storage, jobId)
    if (end === 'running') return { running: jobId, added }
    if (end !== 'success') continue
    if (!isIncremental) return { replacedBy: version.versionId, added }
    added.push(version.versionId)
  }
  return { added }
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
