import { executionOfJob } from '../lib/asked-wait.ts'
import { asTransient } from '../lib/errors/as-transient.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import { isTableMadeMeanwhile } from '../lib/storage-client/load-into-table.ts'
import type { StorageClient } from '../lib/storage-client/storage-client.ts'
import {
  again,
  describeSource,
  followJob,
  hasJob,
  type ImportAnswer,
  importVersion,
  type LandedVersion,
  objectGone,
  Pause,
  type StartImportDependencies,
  targetOf,
  type WithJob,
} from './import-version.ts'
import {
  type KeyState,
  nextAttempt,
  objectVersionId,
  PROGRESS_EXPIRES_SECONDS,
  type Progress,
  readVersions,
  type VersionMark,
  versionsAfter,
} from './key-records.ts'

/** One execution's work on a key whose lease it holds. */
interface KeyWork {
  services: StartImportDependencies
  /** A change of the state is kept in memory until it is saved. */
  key: { state: KeyState; save: () => Promise<void>; release: () => Promise<void> }
  /** The version that the event names. */
  own: LandedVersion
  /** When this step has lasted so long that another function goes on. */
  isTooLong: () => boolean
}

/**
 * Imports the event's own version of a key after all older ones, in the order in which S3 stored them, whoever heard of
 * them: first a late one with those that are loaded again behind it, then those that nobody has imported yet.
 */
export const importInOrder = async (work: KeyWork): Promise<ImportAnswer> => {
  const { key, services } = work
  const { source } = work.own
  const until = (key.state.late ?? key.state.through)?.versionId
  const versions = await readVersions(services.s3, source, [source.versionId, until])
  const own = versions.find(version => isOwn(work, version))
  if (!own) throw objectGone(source)
  if (own !== versions.at(-1)) key.state.mayHaveFailed = true
  try {
    await importLate(work, versions)
    return (await importNew(work, versions, own)) ?? (await ownOutcome(work, versions, own))
  } catch (error) {
    if (error instanceof Pause) return error.answer
    throw error
  }
}

/** Until a job is looked at that the next version waits for. */
const JOB_WAIT_SECONDS = 1

const afterJob = (jobId: number | undefined): Pause =>
  new Pause(again(JOB_WAIT_SECONDS, jobId === undefined ? undefined : executionOfJob(jobId)))

const pauseInTime = ({ isTooLong }: KeyWork): void => {
  if (isTooLong()) throw new Pause(again(JOB_WAIT_SECONDS))
}

const isOwn = ({ own }: KeyWork, { versionId }: VersionMark): boolean => versionId === own.source.versionId

const progressOf = ({ own, services }: KeyWork, { versionId }: VersionMark): Promise<Progress> =>
  services.records.progress(objectVersionId({ ...own.source, versionId }))

/**
 * Imports the versions that nobody has imported yet, oldest first, up to the own one.
 *
 * The service runs the jobs of a table in the order in which it accepts them, so that the next version need not wait for
 * the end of a job; except of one that creates the table: it may fail, because another key was first. Resolves to
 * `undefined` when the own version was imported earlier.
 */
const importNew = async (
  work: KeyWork,
  versions: readonly VersionMark[],
  own: VersionMark,
): Promise<ImportAnswer | undefined> => {
  const { key, services } = work
  for (const version of versionsAfter(versions, key.state.through, own)) {
    pauseInTime(work)
    const found = await progressOf(work, version)
    const end = found.isCreating ? await jobEnd(services.storage, found) : 'running'
    const before = end === 'tableExists' ? nextAttempt(found) : found
    const isPassed = before.isSkipped || before.supersededBy !== undefined || hasJob(before)
    const accepted = isPassed ? undefined : await importOf(work, version, before)
    const { isCreating, jobId } = accepted ?? before
    const mayFail = isCreating && end !== 'success' && end !== 'error'
    // The mark stays before it.
    if (!mayFail) key.state.through = version
    if (isOwn(work, version)) return accepted && followJob(work.own, 'started', accepted)
    if (mayFail) throw afterJob(jobId)
  }
  return undefined
}

/** Imports a version of the key. What is wrong with another one than the event's own does not stop this one: `undefined`. */
const importOf = async (
  work: KeyWork,
  version: VersionMark,
  before: Progress,
): Promise<WithJob | undefined> => {
  const { services, own } = work
  const progress = { ...before, isSkipped: false }
  if (isOwn(work, version)) return importVersion(services, own, progress)
  const landed = { ...own.source, versionId: version.versionId }
  const versionId = objectVersionId(landed)
  try {
    const { source, metadata } = await describeSource(services.s3, landed)
    const target = await targetOf(source.key, metadata, services)
    return await importVersion(services, { source, target, versionId }, progress)
  } catch (error) {
    if (error instanceof Pause || asTransient(error) instanceof TransientError) throw error
    const facts = { key: landed.key, versionId: landed.versionId, error }
    services.log.warn('an older version of the key cannot be imported', facts)
    // Noted before a newer one is accepted: from then on it comes late.
    const saved = await services.records.progress(versionId)
    const reached = saved.revision === progress.revision ? progress : saved
    await services.records.saveProgress(versionId, { ...reached, isSkipped: true })
    return undefined
  }
}

/**
 * Loads the late version of the key's state, and then once more those that were added to the table before it: the bucket
 * still has their bytes. Afterwards there is none, also when it came to nothing.
 */
const importLate = async (work: KeyWork, versions: readonly VersionMark[]): Promise<void> => {
  const { key } = work
  const { late } = key.state
  if (!late) return
  const found = await progressOf(work, late)
  const reached = hasJob(found) ? found : await importOf(work, late, found)
  if (reached && (await endOf(work, reached)) === 'success')
    for (const version of versionsAfter(versions, late)) {
      pauseInTime(work)
      await loadAgain(work, version, late)
    }
  // A newer version whose job is accepted from here on comes behind it by itself.
  key.state.late = undefined
  await key.save()
}

/** What is done can be read in the record of the version, so that a repeated call goes on. */
const loadAgain = async (work: KeyWork, version: VersionMark, late: VersionMark): Promise<void> => {
  const found = await progressOf(work, version)
  const isBegun = found.reloadOf === late.versionId
  if (found.isSkipped || isBegun === hasJob(found)) return
  // Otherwise it is not in the table.
  if (isBegun || (await endOf(work, found)) === 'success')
    await importOf(work, version, isBegun ? found : { ...nextAttempt(found), reloadOf: late.versionId })
}

/** What becomes of the event's own version when all before it are on their way. */
const ownOutcome = async (
  work: KeyWork,
  versions: readonly VersionMark[],
  own: VersionMark,
): Promise<ImportAnswer> => {
  const { records, storage } = work.services
  const progress = await records.progress(work.own.versionId)
  const { supersededBy, isFailureReported, isCreating } = progress
  if (supersededBy !== undefined) return superseded(supersededBy)
  if (!hasJob(progress)) {
    const isOver = isForgotten(work, own, progress)
    return isOver
      ? { next: 'done', output: { outcome: 'alreadyImported' } }
      : importOwn(work, { versions, own }, progress)
  }
  // Asked for once more after its failure was reported; or its job was to create a table that exists meanwhile.
  const end = isFailureReported || isCreating ? await jobEnd(storage, progress) : 'running'
  if (end === 'tableExists' || (end === 'error' && isFailureReported))
    return importOwn(work, { versions, own }, nextAttempt(progress))
  if (progress.reloadedVersions > 0 && !isFailureReported) await endReloads(work, newerThan(own, versions))
  return followJob(work.own, 'alreadyStarted', progress)
}

const newerThan = (own: VersionMark, versions: readonly VersionMark[]): readonly VersionMark[] =>
  versions.slice(0, versions.indexOf(own))

const superseded = (by: string): ImportAnswer => ({ next: 'done', output: { outcome: 'superseded', by } })

/** Its record has expired: what is older than the newest import known, and than any record, is not imported again. */
const isForgotten = ({ services, key }: KeyWork, own: VersionMark, progress: Progress): boolean => {
  if (progress.revision > 0) return false
  const ageMs = services.now().getTime() - Date.parse(own.modified)
  return own.versionId === key.state.through?.versionId || ageMs > PROGRESS_EXPIRES_SECONDS * 1000
}

/** A late version has come to its end with the last of those that are loaded again after it. Throws `UserError`. */
const endReloads = async (work: KeyWork, newer: readonly VersionMark[]): Promise<void> => {
  const { source } = work.own
  const failed: string[] = []
  for (const version of newer) {
    const found = await progressOf(work, version)
    if (found.reloadOf !== source.versionId) continue
    if ((await endOf(work, found)) !== 'success') failed.unshift(version.versionId)
  }
  if (failed.length === 0) return
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
 * again after it, all of which were added to the table: that is what the next step finds.
 */
const importOwn = async (
  work: KeyWork,
  { versions, own: mark }: { versions: readonly VersionMark[]; own: VersionMark },
  attempt: Progress,
): Promise<ImportAnswer> => {
  const { services, key, own } = work
  const facts = { key: own.source.key, versionId: own.versionId }
  const { replacedBy, added } = await loadedOf(work, newerThan(mark, versions))
  if (replacedBy !== undefined) {
    await services.records.saveProgress(own.versionId, { ...attempt, supersededBy: replacedBy })
    services.log.info('superseded', { ...facts, by: replacedBy })
    return superseded(replacedBy)
  }
  if (added.length === 0 || (await isOnlyAdded(own, services)))
    return followJob(own, 'started', await importVersion(services, own, { ...attempt, isSkipped: false }))
  await services.records.saveProgress(own.versionId, { ...attempt, reloadedVersions: added.length })
  services.log.info('late: newer versions are loaded again', { ...facts, newer: added })
  // Saved before its job is accepted: whoever holds the key from here on loads this version, and the newer ones once more after it.
  key.state.late = mark
  await key.save()
  return again(0)
}

/** Rows that go to a table without a primary key stay whatever comes before or after them. */
const isOnlyAdded = async (
  { target: { incremental, tableId } }: LandedVersion,
  { storage }: StartImportDependencies,
): Promise<boolean> => {
  if (!incremental) return false
  const { primaryKey } = (await unlessGone(storage.table(tableId))) ?? { primaryKey: [] }
  return primaryKey.length === 0
}

/** What is in the table of these versions, newest first: those that were added, down to one that replaced it. */
const loadedOf = async (
  work: KeyWork,
  versions: readonly VersionMark[],
): Promise<{ replacedBy?: string; added: string[] }> => {
  const added: string[] = []
  for (const version of versions) {
    const found = await progressOf(work, version)
    if ((await endOf(work, found)) !== 'success') continue
    if (!found.isIncremental) return { replacedBy: version.versionId, added }
    added.push(version.versionId)
  }
  return { added }
}

type JobEnd =
  | 'running'
  | 'success'
  /** Or there is no job. */
  | 'error'
  /** It was to create a table that another job had created: the version is to be imported into that one. */
  | 'tableExists'

export const jobEnd = async (storage: StorageClient, { jobId }: Progress): Promise<JobEnd> => {
  if (jobId === undefined) return 'error'
  const job = await unlessGone(storage.job(jobId))
  // A service may forget its jobs after a while: this one was accepted long ago.
  if (!job || job.status === 'success') return 'success'
  if (job.status !== 'error') return 'running'
  return isTableMadeMeanwhile(job) ? 'tableExists' : 'error'
}

/** Throws `Pause` while the job of a version runs. */
const endOf = async ({ services }: KeyWork, progress: Progress): Promise<JobEnd> => {
  const end = await jobEnd(services.storage, progress)
  if (end === 'running') throw afterJob(progress.jobId)
  return end
}

const unlessGone = <Found>(found: Promise<Found>): Promise<Found | undefined> =>
  found.catch((error: unknown) => {
    if (error instanceof UserError && error.status === 404) return undefined
    throw error
  })
