import type { S3Client } from '@aws-sdk/client-s3'
import { type AcceptedLoads, refuseTooLarge } from '../lib/distributed/load-limits.ts'
import type { Answer } from '../lib/drive/step.ts'
import { asTransient } from '../lib/errors/as-transient.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import { nameColumns } from '../lib/storage/files/list-slices.ts'
import { loadIntoTable } from '../lib/storage-client/load-into-table.ts'
import type { Job, StorageClient } from '../lib/storage-client/storage-client.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import type { HeldKey, ImportRecords, Progress, VersionMark } from './key-records.ts'
import type { LandingRule } from './landing-rules.ts'
import { type LandingTarget, landingTarget } from './landing-target.ts'
import { type DescribedSource, describeSource, objectVersionId } from './object-version.ts'
import type { NumberRange, Transfer } from './transfer.ts'

/** The component under which events of imports are listed. */
export const COMPONENT = 'millrace-import'

export interface StartImportDependencies {
  /** Reads the landing bucket. */
  s3: S3Client
  /** Brings the bytes of the object into the prepared file. */
  transfer: Transfer
  storage: StorageClient
  /** Larger objects are refused before they are moved. `undefined`: the service knows its own limits. */
  acceptedLoads: AcceptedLoads | undefined
  /** Whether the service creates a table or loads into it by one job: `IF_EXISTS_FEATURE`. */
  hasIfExists: (storage: Pick<StorageClient, 'knows'>) => Promise<boolean>
  records: ImportRecords
  rules: readonly LandingRule[]
  now: () => Date
  log: {
    info(message: string, extra: Record<string, unknown>): void
    warn(message: string, extra: Record<string, unknown>): void
  }
}

/** What becomes of an event, said beside what the machine does next. */
interface ImportOutput {
  readonly [key: string]: unknown
  readonly outcome: Outcome
}

type Outcome =
  /** A job is to load the version. */
  | 'started'
  /** An earlier event of the version has come to the job. */
  | 'alreadyStarted'
  /** Another execution is importing this very object version. */
  | 'duplicate'
  /** A newer version of this key, one that replaces the table, was loaded before this one came. */
  | 'superseded'
  /** It was imported so long ago that the record of it has expired. */
  | 'alreadyImported'
  /** A marker of a folder or of a program: nothing to import. */
  | 'ignored'

/** Done; again, since another execution works on the key or a job has to end first; wait for the job; parts to be moved; failed. */
export type ImportAnswer =
  | Exclude<Answer, { next: 'poll' | 'done' }>
  | { next: 'done'; output: ImportOutput }
  | JobAnswer

export type JobAnswer = Extract<Answer, { next: 'poll' }> & { output: ImportOutput }

/** @param waitsFor name of the execution that is in the way, where it is known */
export const again = (waitSeconds: number, waitsFor?: string): ImportAnswer => ({
  next: 'again',
  waitSeconds,
  ...(waitsFor !== undefined && { waitsFor: [waitsFor] }),
})

/** Waits for the job of the version. `undefined`: it has none yet. */
export const followJob = (
  { target: { tableId } }: { target: LandingTarget },
  outcome: 'started' | 'alreadyStarted',
  { jobId, fileId, reloadedVersions }: Progress,
  waitSeconds = waitSecondsAt(0),
): JobAnswer | undefined =>
  jobId === undefined
    ? undefined
    : { next: 'poll', jobId, waitSeconds, output: { outcome, tableId, fileId, jobId, reloadedVersions } }

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
  services: StartImportDependencies
  key: HeldKey
  own: OwnVersion
}

export type VersionStep =
  /** `answer`: what an execution of this very version does next. `creatingJob`: it may fail, because the table is there meanwhile. */
  | { next: 'accepted'; answer: JobAnswer; creatingJob?: number }
  /** Several functions move the parts of these ranges; then the import continues. */
  | { next: 'each'; parts: readonly (NumberRange & { versionId: string })[] }
  /** It cannot be imported; its own execution says why. */
  | { next: 'skipped' }

export const isOwn = ({ own }: KeyWork, { versionId }: VersionMark): boolean =>
  versionId === own.source.versionId

/** Identity of a version of the key. */
export const identityOf = ({ own }: KeyWork, { versionId }: VersionMark): string =>
  objectVersionId({ ...own.source, versionId })

/** Imports a version of the key. What is wrong with another one than the event's own does not stop this one. */
export const importOf = async (
  work: KeyWork,
  version: VersionMark,
  before: Progress,
): Promise<VersionStep> => {
  const { services, key, own } = work
  const progress = { ...before, isSkipped: false }
  if (isOwn(work, version)) {
    key.change({ moving: undefined })
    return importVersion(services, { ...own, progress })
  }
  const id = identityOf(work, version)
  try {
    const landed = { ...own.source, versionId: version.versionId }
    const { source, metadata } = await describeSource(services.s3, landed)
    const target = await targetOf(source.key, metadata, services)
    const step = await importVersion(services, { source, target, versionId: id, progress })
    key.change({ moving: step.next === 'each' ? version.versionId : undefined })
    return step
  } catch (error) {
    if (asTransient(error) instanceof TransientError) throw error
    const facts = { key: own.source.key, versionId: version.versionId, error }
    services.log.warn('an older version of the key cannot be imported', facts)
    // Noted before a newer one is accepted: from then on it comes late.
    const saved = await services.records.progress(id)
    const reached = saved.revision === progress.revision ? progress : saved
    await services.records.saveProgress(id, { ...reached, isSkipped: true })
    return { next: 'skipped' }
  }
}

interface ImportWork extends OwnVersion {
  progress: Progress
}

/**
 * Makes one job of one object version: a file is prepared, its bytes are moved, the import is accepted.
 *
 * Progress is saved before each step that must not happen twice, so that a repeated call resumes where an earlier one
 * died. Throws `UserError` for an object that cannot be loaded, before any byte of it is moved.
 */
const importVersion = async (services: StartImportDependencies, work: ImportWork): Promise<VersionStep> => {
  const { records, acceptedLoads } = services
  const { versionId, target, source, progress: before } = work
  if (!before.isUploaded)
    await (acceptedLoads ? refuseTooLarge([source], acceptedLoads) : refuseOtherThanCsv(source))
  const progress = await uploadFile(services, work)
  if (Array.isArray(progress))
    return { next: 'each', parts: progress.map(range => ({ ...range, versionId: source.versionId })) }
  // Before its bytes were there, nobody can have asked for its import. The service accepts it here, and the next line notes
  // it. A death between: docs/architecture.md.
  const job = await acceptImport(services, { ...work, progress }, before.isUploaded)
  const isCreating = job.operationName !== 'tableImport'
  const isIncremental = target.incremental
  const accepted = { ...progress, jobId: job.id, isCreating, isIncremental }
  await records.saveProgress(versionId, accepted)
  if (!isIncremental) await sayOtherKey(services, { key: source.key, tableId: target.tableId })
  const answer = followJob(work, 'started', accepted, waitSecondsAt(0, job.retryAfterSeconds))
  if (!answer) throw new Error('An accepted version has a job')
  return { next: 'accepted', answer, ...(isCreating && { creatingJob: job.id }) }
}

/** A hosted service takes the bytes of any file for CSV. */
const refuseOtherThanCsv = async (source: DescribedSource['source']): Promise<void> => {
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

/**
 * The progress of a version whose bytes are a file of the service, or the ranges of it that are to be moved first. A file whose
 * upload was cut short is replaced: its credentials are gone. An upload that several functions fill is resumed.
 */
const uploadFile = async (
  services: StartImportDependencies,
  work: ImportWork,
): Promise<Progress | NumberRange[]> => {
  const { storage, records, transfer } = services
  const { source, versionId, progress } = work
  if (progress.isUploaded) return progress
  const resumed = await finishUpload(services, work)
  if (resumed) return resumed
  if (progress.fileId !== undefined) await storage.deleteFile(progress.fileId)

  const tags = ['millrace-landing']
  const file = await storage.prepareFile({ name: fileName(source.key), sizeBytes: source.bytes, tags })
  const prepared = { ...progress, fileId: file.id, uploadId: undefined }
  const noted = await records.saveProgress(versionId, prepared)
  const upload = await transfer.start(source, file)
  if (!upload) return records.saveProgress(versionId, { ...noted, isUploaded: true })
  const begun = await records.saveProgress(versionId, { ...noted, ...upload })
  const unfinished = await finishUpload(services, { ...work, progress: begun })
  if (!unfinished)
    throw new TransientError('landing.uploadGone', `The upload of ${source.key} was aborted by others.`)
  return unfinished
}

/** `undefined`: there is no upload, or it is gone without an object. */
const finishUpload = async (
  { storage, records, transfer }: StartImportDependencies,
  { source, versionId, progress }: ImportWork,
): Promise<Progress | NumberRange[] | undefined> => {
  const { fileId, uploadId } = progress
  if (fileId === undefined || uploadId === undefined) return undefined
  const missing = await transfer.finish(source, await storage.file(fileId), uploadId)
  return missing?.length === 0 ? records.saveProgress(versionId, { ...progress, isUploaded: true }) : missing
}

const acceptImport = async (
  { storage, hasIfExists }: StartImportDependencies,
  { target, versionId, progress: { fileId, attempt } }: ImportWork,
  isRepeated: boolean,
): Promise<Job> => {
  if (fileId === undefined) throw new Error('A version whose bytes are there has a file')
  // A crash between the service's acceptance and our record of it. Every service is asked for a job that reads the file, which only this import
  // does. Our own also knows the job by its key.
  const accepted = isRepeated ? await storage.findJobOfFile(fileId) : undefined
  if (accepted) return accepted
  const idempotencyKey = `${versionId}-${attempt}`
  const options = { idempotencyKey, isRepeated, hasIfExists: await hasIfExists(storage) }
  return (await loadIntoTable(storage, { ...target, dataFileId: fileId }, options)).job
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
