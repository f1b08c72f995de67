import { UserError } from '../lib/errors/errors.ts'
import {
  again,
  endOf,
  followJob,
  hasJob,
  type ImportAnswer,
  importOf,
  importVersion,
  jobEnd,
  type KeyWork,
  type LandedVersion,
  progressOf,
  type StartImportDependencies,
  unlessGone,
} from './import-version.ts'
import {
  nextAttempt,
  PROGRESS_EXPIRES_SECONDS,
  type Progress,
  type VersionMark,
  versionsAfter,
} from './key-records.ts'

/**
 * Loads the late version of the key's state, and then once more those that were added to the table before it: the bucket
 * still has their bytes. Afterwards there is none, also when it came to nothing.
 */
export const importLate = async (work: KeyWork): Promise<void> => {
  const { key, versions, pauseInTime } = work
  const { late } = key.state
  if (!late) return
  const found = await progressOf(work, late)
  const reached = hasJob(found) ? found : await importOf(work, late, found)
  if (reached && (await endOf(work, reached)) === 'success')
    for (const version of versionsAfter(versions, late)) {
      pauseInTime()
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
export const ownOutcome = async (work: KeyWork): Promise<ImportAnswer> => {
  const { records, storage } = work.services
  const progress = await records.progress(work.own.versionId)
  const { isFailureReported, isCreating } = progress
  if (!hasJob(progress) && isForgotten(work, progress))
    return { next: 'done', output: { outcome: 'alreadyImported' } }
  if (!hasJob(progress)) return importOwn(work, progress)
  // Asked for once more after its failure was reported; or its job was to create a table that exists meanwhile.
  const end = isFailureReported || isCreating ? await jobEnd(storage, progress) : 'running'
  if (end === 'tableExists' || (end === 'error' && isFailureReported))
    return importOwn(work, nextAttempt(progress))
  if (progress.reloadedVersions > 0 && !isFailureReported) await endReloads(work)
  return followJob(work.own, 'alreadyStarted', progress)
}

const newerOf = ({ versions, mark }: KeyWork): readonly VersionMark[] =>
  versions.slice(0, versions.indexOf(mark))

/** Its record has expired: what is older than the newest import known, and than any record, is not imported again. */
const isForgotten = ({ services, key, mark }: KeyWork, progress: Progress): boolean => {
  if (progress.revision > 0) return false
  const ageMs = services.now().getTime() - Date.parse(mark.modified)
  return mark.versionId === key.state.through?.versionId || ageMs > PROGRESS_EXPIRES_SECONDS * 1000
}

/** A late version has come to its end with the last of those that are loaded again after it. Throws `UserError`. */
const endReloads = async (work: KeyWork): Promise<void> => {
  const { source } = work.own
  const failed: string[] = []
  for (const version of newerOf(work)) {
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
const importOwn = async (work: KeyWork, attempt: Progress): Promise<ImportAnswer> => {
  const { services, key, own, mark } = work
  const facts = { key: own.source.key, versionId: own.versionId }
  const { replacedBy, added } = await loadedOf(work)
  if (replacedBy !== undefined) {
    services.log.info('superseded', { ...facts, by: replacedBy })
    return { next: 'done', output: { outcome: 'superseded', by: replacedBy } }
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

/** What is in the table of newer versions, newest first: those that were added, down to one that replaced it. */
const loadedOf = async (work: KeyWork): Promise<{ replacedBy?: string; added: string[] }> => {
  const added: string[] = []
  for (const version of newerOf(work)) {
    const found = await progressOf(work, version)
    if ((await endOf(work, found)) !== 'success') continue
    if (!found.isIncremental) return { replacedBy: version.versionId, added }
    added.push(version.versionId)
  }
  return { added }
}
