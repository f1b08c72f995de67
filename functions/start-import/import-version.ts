import type { SourceObject } from '../lib/cloud/multipart/source-object.ts'
import { type AcceptedLoads, refuseTooLarge } from '../lib/distributed/load-limits.ts'
import { asTransient } from '../lib/errors/as-transient.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import type { LandedObject } from '../lib/landed-object.ts'
import { nameColumns } from '../lib/storage/files/list-slices.ts'
import { loadIntoTable } from '../lib/storage-client/load-into-table.ts'
import type { Job, StorageClient } from '../lib/storage-client/storage-client.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import type { StartImportDependencies } from './dependencies.ts'
import { describeSource } from './describe-source.ts'
import type { HeldKey, ImportRecords, Progress, VersionMark } from './key-records.ts'
import { type LandingTarget, landingTarget } from './landing-target.ts'
import type { NumberRange } from './move-ranges.ts'
import { objectVersionId } from './object-version.ts'
import { sayOtherKey } from './say-other-key.ts'
import type { StartImportResult, VersionRange } from './start-import-result.ts'
import type { Transfer } from './transfer.ts'

/** The version that the event names. */
export interface OwnVersion {
  source: SourceObject
  target: LandingTarget
  /** Identity of the object version. */
  versionId: string
}

/** One execution's work on a key of a bucket that keeps versions. */
export interface KeyWork {
  dependencies: StartImportDependencies
  key: HeldKey
  own: OwnVersion
  /** The own version, by S3's version id. */
  landed: LandedObject & { versionId: string }
}

export type Step =
  | { outcome: 'accepted'; jobId: number; fileId: number; waitSeconds: number; progress: Progress }
  | { outcome: 'moving'; fileId: number; ranges: VersionRange[] }
  /** It cannot be imported; its own execution says why. */
  | { outcome: 'skipped' }

export const isOwn = ({ landed }: KeyWork, { versionId }: Pick<VersionMark, 'versionId'>): boolean =>
  versionId === landed.versionId

/** Identity of a version of the key. */
export const identityOf = ({ landed }: KeyWork, { versionId }: Pick<VersionMark, 'versionId'>): string =>
  objectVersionId({ ...landed, versionId }, '')

/** The metadata of the object says most, then a rule, then the table. Throws `UserError`. */
export const targetOf = async (
  key: string,
  metadata: Readonly<Record<string, string>>,
  { rules, storage }: Pick<StartImportDependencies, 'rules' | 'storage'>,
): Promise<LandingTarget> => {
  const { tableId } = landingTarget(key, metadata, rules)
  return landingTarget(key, metadata, rules, await storage.loadSettings(tableId))
}

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
    if (step.outcome === 'accepted') {
      key.change({ moving: undefined })
      return step
    }
    key.change({ moving: isOther ? version.versionId : undefined })
    return { ...step, ranges: step.ranges.map(range => ({ ...range, versionId: version.versionId })) }
  } catch (error) {
    const mayWorkLater = asTransient(error) instanceof TransientError
    if (!isOther || mayWorkLater) throw error
    dependencies.log.warn('an older version of the key cannot be imported', {
      key: work.landed.key,
      versionId: version.versionId,
      error,
    })
    return { outcome: 'skipped' }
  }
}

/** What the execution of the own version follows from here on. */
export const followJob = (
  { own }: KeyWork,
  outcome: 'started' | 'alreadyStarted',
  { jobId, fileId, reloadedVersions }: Pick<Progress, 'jobId' | 'fileId' | 'reloadedVersions'>,
  waitSeconds = waitSecondsAt(0),
): StartImportResult | undefined =>
  jobId === undefined || fileId === undefined
    ? undefined
    : { outcome, jobId, fileId, tableId: own.target.tableId, waitSeconds, reloadedVersions }

interface ImportVersionServices {
  storage: StorageClient
  records: ImportRecords
  acceptedLoads: AcceptedLoads | undefined
  /** Brings the bytes of the object into the prepared file. */
  transfer: Transfer
  hasIfExists: StartImportDependencies['hasIfExists']
  log: StartImportDependencies['log']
}

interface ImportWork {
  source: SourceObject
  target: LandingTarget
  /** Identity of the object version. */
  versionId: string
  progress: Progress
}

type VersionImport =
  | { outcome: 'accepted'; fileId: number; jobId: number; waitSeconds: number; progress: Progress }
  /** Several functions move the parts of these ranges; then the import continues. */
  | { outcome: 'moving'; fileId: number; ranges: NumberRange[] }

/**
 * Makes one job of one object version: a file is prepared, its bytes are moved, the import is accepted.
 *
 * Progress is saved before each step that must not happen twice, so that a repeated call resumes where an earlier one
 * died. Throws `UserError` for an object that is too large to be loaded, before any byte of it is moved.
 */
export const importVersion = async (
  services: ImportVersionServices,
  work: ImportWork,
): Promise<VersionImport> => {
  const { records, acceptedLoads } = services
  const { versionId, target, source } = work
  if (!work.progress.isUploaded)
    await (acceptedLoads ? refuseTooLarge([source], acceptedLoads) : refuseOtherThanCsv(source))
  const { fileId, ranges, progress } = await uploadFile(services, work)
  if (ranges.length > 0) return { outcome: 'moving', fileId, ranges }
  // Before its bytes were there, nobody can have asked for its import.
  const wasUploadedBefore = work.progress.isUploaded
  // Accepted by the service here, noted in the next line. A death between: docs/architecture.md.
  const job = await acceptImport(services, { ...work, progress }, { fileId, wasUploadedBefore })
  const accepted = await records.saveProgress(versionId, {
    ...progress,
    jobId: job.id,
    isCreating: job.operationName !== 'tableImport',
    isIncremental: target.incremental,
  })
  if (!target.incremental) await sayOtherKey(services, { key: source.key, tableId: target.tableId })
  const waitSeconds = waitSecondsAt(0, job.retryAfterSeconds)
  return { outcome: 'accepted', fileId, jobId: job.id, waitSeconds, progress: accepted }
}

/** A hosted service takes the bytes of any file for CSV. */
const refuseOtherThanCsv = async (source: SourceObject): Promise<void> => {
  if (await nameColumns([source]))
    throw new UserError(
      'landing.notCsv',
      `${source.key} is JSON or Parquet, which the service that loads this bucket's files does not read. Write it as CSV.`,
    )
}

/** The end of the key, which may have 1,024 bytes, as far as a file of the service may have a name. */
const fileName = (key: string): string =>
  key
    .slice(key.lastIndexOf('/') + 1)
    .slice(-500)
    .replace(/^[\uDC00-\uDFFF]/, '')

interface FileUpload {
  fileId: number
  ranges: NumberRange[]
  progress: Progress
}

/**
 * The object as a file of the service, or the ranges of it that are to be moved first. A file whose upload was cut
 * short is replaced: its credentials are gone. An upload that several functions fill is resumed.
 */
const uploadFile = async (
  services: ImportVersionServices,
  { source, versionId, progress }: ImportWork,
): Promise<FileUpload> => {
  const { storage, records, transfer } = services
  const { fileId: knownId, uploadId } = progress
  if (knownId !== undefined && progress.isUploaded) return { fileId: knownId, ranges: [], progress }
  if (knownId !== undefined && uploadId !== undefined) {
    const resumed = await finishUpload(services, { source, versionId, progress }, knownId, uploadId)
    if (resumed) return resumed
  }
  if (knownId !== undefined) await storage.deleteFile(knownId)

  const file = await storage.prepareFile({
    name: fileName(source.key),
    sizeBytes: source.bytes,
    tags: ['millrace-landing'],
  })
  const prepared = await records.saveProgress(versionId, {
    ...progress,
    fileId: file.id,
    uploadId: undefined,
  })
  const upload = await transfer.start(source, file)
  if (!upload) {
    const uploaded = await records.saveProgress(versionId, { ...prepared, isUploaded: true })
    return { fileId: file.id, ranges: [], progress: uploaded }
  }
  const begun = await records.saveProgress(versionId, { ...prepared, ...upload })
  const work = { source, versionId, progress: begun }
  const unfinished = await finishUpload(services, work, file.id, upload.uploadId)
  if (!unfinished)
    throw new TransientError('landing.uploadGone', `The upload of ${source.key} was aborted by others.`)
  return unfinished
}

/** The ranges that are missing yet. `undefined`: the upload is gone, without an object. */
const finishUpload = async (
  { storage, records, transfer }: ImportVersionServices,
  { source, versionId, progress }: Omit<ImportWork, 'target'>,
  fileId: number,
  uploadId: string,
): Promise<FileUpload | undefined> => {
  const ranges = await transfer.finish(source, await storage.file(fileId), uploadId)
  if (ranges?.length === 0)
    return {
      fileId,
      ranges,
      progress: await records.saveProgress(versionId, { ...progress, isUploaded: true }),
    }
  return ranges && { fileId, ranges, progress }
}

const acceptImport = async (
  { storage, hasIfExists }: ImportVersionServices,
  { target, versionId, progress }: ImportWork,
  { fileId, wasUploadedBefore }: { fileId: number; wasUploadedBefore: boolean },
): Promise<Job> => {
  // A crash between the service's acceptance and our record of it. Every service is asked for a job that reads the file, which only this import
  // does. Our own also knows the job by its key.
  const accepted = wasUploadedBefore ? await storage.findJobOfFile(fileId) : undefined
  if (accepted) return accepted

  const { tableId, primaryKey, incremental, delimiter, enclosure, columns, types } = target
  const { job } = await loadIntoTable(
    storage,
    { dataFileId: fileId, tableId, primaryKey, incremental, delimiter, enclosure, columns, types },
    {
      idempotencyKey: `${versionId}-${progress.attempt}`,
      isRepeated: wasUploadedBefore,
      hasIfExists: await hasIfExists(storage),
    },
  )
  return job
}
