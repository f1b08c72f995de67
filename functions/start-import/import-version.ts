import type { SourceObject } from '../lib/cloud/multipart/source-object.ts'
import { refuseTooLarge } from '../lib/distributed/load-limits.ts'
import { asTransient } from '../lib/errors/as-transient.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import { nameColumns } from '../lib/storage/files/list-slices.ts'
import { isTableMadeMeanwhile, loadIntoTable } from '../lib/storage-client/load-into-table.ts'
import type { Job, StorageClient } from '../lib/storage-client/storage-client.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import { COMPONENT, type StartImportDependencies } from './dependencies.ts'
import { followJob, type JobAnswer } from './import-answer.ts'
import type { HeldKey, Progress, VersionMark } from './key-records.ts'
import { type LandingTarget, landingTarget } from './landing-target.ts'
import { type DescribedSource, describeSource, objectVersionId } from './object-version.ts'
import type { NumberRange } from './transfer.ts'

/** The version that the event names. */
export interface OwnVersion {
  source: DescribedSource['source']
  target: LandingTarget
  /** Identity of the object version. */
  versionId: string
}

/** The metadata of the object says most, then a rule, then the table. Throws `UserError`. */
export const targetOf = async (
  key: string,
  metadata: Readonly<Record<string, string>>,
  { rules, storage }: Pick<StartImportDependencies, 'rules' | 'storage'>,
): Promise<LandingTarget> => {
  const { tableId } = landingTarget(key, metadata, rules)
  return landingTarget(key, metadata, rules, await storage.loadSettings(tableId))
}

/** One execution's work on a key. */
export interface KeyWork {
  dependencies: StartImportDependencies
  key: HeldKey
  own: OwnVersion
}

type Step =
  | VersionStep
  /** It cannot be imported; its own execution says why. */
  | { next: 'skipped' }

export const isOwn = ({ own }: KeyWork, { versionId }: VersionMark): boolean =>
  versionId === own.source.versionId

/** Identity of a version of the key. */
export const identityOf = ({ own }: KeyWork, { versionId }: VersionMark): string =>
  objectVersionId({ ...own.source, versionId })

/** Where a version of the key goes and how it is read. Throws `UserError`. */
const describeVersion = async (
  work: KeyWork,
  version: VersionMark,
): Promise<Omit<OwnVersion, 'versionId'>> => {
  const { dependencies, own } = work
  if (isOwn(work, version)) return own
  const { bucket, key } = own.source
  const { source, metadata } = await describeSource(dependencies.s3, {
    bucket,
    key,
    versionId: version.versionId,
  })
  return { source, target: await targetOf(key, metadata, dependencies) }
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
    key.change({ moving: step.next === 'each' && isOther ? version.versionId : undefined })
    return step
  } catch (error) {
    const mayWorkLater = asTransient(error) instanceof TransientError
    if (!isOther || mayWorkLater) throw error
    dependencies.log.warn('an older version of the key cannot be imported', {
      key: work.own.source.key,
      versionId: version.versionId,
      error,
    })
    return { next: 'skipped' }
  }
}

interface ImportWork extends OwnVersion {
  progress: Progress
}

type VersionStep =
  /** `answer`: what an execution of this very version does next. */
  | { next: 'accepted'; progress: Progress; answer: JobAnswer }
  /** Several functions move the parts of these ranges; then the import continues. */
  | { next: 'each'; parts: readonly VersionRange[] }

/** A range of parts of an object version. */
type VersionRange = NumberRange & { versionId: string }

/**
 * Makes one job of one object version: a file is prepared, its bytes are moved, the import is accepted.
 *
 * Progress is saved before each step that must not happen twice, so that a repeated call resumes where an earlier one
 * died. Throws `UserError` for an object that is too large to be loaded, before any byte of it is moved.
 */
const importVersion = async (services: StartImportDependencies, work: ImportWork): Promise<VersionStep> => {
  const { records, acceptedLoads } = services
  const { versionId, target, source } = work
  if (!work.progress.isUploaded)
    await (acceptedLoads ? refuseTooLarge([source], acceptedLoads) : refuseOtherThanCsv(source))
  const { fileId, ranges, progress } = await uploadFile(services, work)
  if (ranges.length > 0)
    return { next: 'each', parts: ranges.map(range => ({ ...range, versionId: source.versionId })) }
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
  const answer = followJob(work, 'started', accepted, waitSeconds)
  if (!answer) throw new Error('An accepted version has a job')
  return { next: 'accepted', progress: accepted, answer }
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
  services: StartImportDependencies,
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
  { storage, records, transfer }: StartImportDependencies,
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
  { storage, hasIfExists }: StartImportDependencies,
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

/**
 * Says, once for a table, that files of another key replace all its rows too: daily files in one folder mostly are to add
 * theirs. The warning is an event of the service, and a line of the log.
 */
const sayOtherKey = async (
  { records, storage, log }: StartImportDependencies,
  { key, tableId }: { key: string; tableId: string },
): Promise<void> => {
  const other = await records.otherKeyOf(tableId, key)
  if (other === undefined) return
  const message =
    `${key} replaces all rows of ${tableId}, as ${other} did. If each file is to add its rows: ` +
    `npx millrace tables settings ${tableId} --incremental`
  log.warn('another key replaces the table', { key, other, tableId })
  const event = { component: COMPONENT, type: 'warn', message, params: { tableId, key, other } } as const
  // Who hears nothing of it still has the line of the log.
  await storage
    .postEvent(event, `other-key-${tableId}`)
    .catch((error: unknown) => log.warn('the event could not be stored', { tableId, error }))
  await records.otherKeySaid(tableId)
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
export const isWantedAgain = async (
  { storage }: Pick<StartImportDependencies, 'storage'>,
  { jobId, isCreating, isFailureReported }: Progress,
): Promise<boolean> => {
  if (jobId === undefined || !(isFailureReported || isCreating)) return false
  const end = await jobEnd(storage, jobId)
  return end === 'tableExists' || (end === 'error' && isFailureReported)
}
