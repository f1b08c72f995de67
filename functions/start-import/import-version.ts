import { HeadObjectCommand, NotFound, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { executionOfJob } from '../lib/asked-wait.ts'
import type { SourceObject } from '../lib/cloud/multipart/source-object.ts'
import { type AcceptedLoads, refuseTooLarge } from '../lib/distributed/load-limits.ts'
import type { Answer } from '../lib/drive/step.ts'
import { asTransient } from '../lib/errors/as-transient.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import type { LandedObject } from '../lib/landed-object.ts'
import { nameColumns } from '../lib/storage/files/list-slices.ts'
import { isTableMadeMeanwhile, loadIntoTable } from '../lib/storage-client/load-into-table.ts'
import type { Job, StorageClient } from '../lib/storage-client/storage-client.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import {
  type ImportRecords,
  type KeyState,
  NULL_VERSION,
  type ObjectVersion,
  objectVersionId,
  type Progress,
  type VersionMark,
} from './key-records.ts'
import type { LandingRule } from './landing-rules.ts'
import { type LandingTarget, targetOf } from './landing-target.ts'
import { type Transfer, uploadFile } from './transfer.ts'

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

/** `retryAfterSeconds`: after which the service advises to look at the job. */
type WithJob = Progress & { jobId: number; retryAfterSeconds?: number | undefined }

/** @param waitsFor name of the execution that is in the way, where it is known */
export const again = (waitSeconds: number, waitsFor?: string): ImportAnswer => ({
  next: 'again',
  waitSeconds,
  ...(waitsFor !== undefined && { waitsFor: [waitsFor] }),
})

/** Waits for the job of the version. */
export const followJob = (
  { target: { tableId } }: LandedVersion,
  outcome: 'started' | 'alreadyStarted',
  { jobId, fileId, reloadedVersions, retryAfterSeconds }: WithJob,
): JobAnswer => ({
  next: 'poll',
  jobId,
  waitSeconds: waitSecondsAt(0, retryAfterSeconds),
  output: { outcome, tableId, fileId, jobId, reloadedVersions },
})

export const hasJob = (progress: Progress): progress is WithJob => progress.jobId !== undefined

/** Thrown by a step that can do no more for now: it ends with this answer, and the next one goes on. */
export class Pause extends Error {
  override readonly name = 'Pause'
  readonly answer: ImportAnswer

  constructor(answer: ImportAnswer) {
    super('The import goes on with another step')
    this.answer = answer
  }
}

export interface DescribedSource {
  source: SourceObject & ObjectVersion
  /** User metadata: lower-case names without `x-amz-meta-`. */
  metadata: Record<string, string>
}

/** Throws `UserError` (`landing.objectGone`, `landing.noVersions`). */
export const describeSource = async (
  s3: S3Client,
  { bucket, key, versionId: named }: LandedObject,
): Promise<DescribedSource> => {
  const head = await s3
    .send(new HeadObjectCommand({ Bucket: bucket, Key: key, VersionId: named }))
    .catch((cause: unknown) => {
      throw isGone(cause) ? objectGone({ bucket, key }, cause) : cause
    })
  const versionId = named ?? head.VersionId ?? NULL_VERSION
  if (versionId === NULL_VERSION)
    throw new UserError(
      'landing.noVersions',
      `The bucket ${bucket} kept no versions when ${key} was written, so the next write would replace it unread. ` +
        'Enable versioning of the bucket, and upload the object once more.',
    )
  const { ETag: etag, ContentLength: bytes, Metadata: metadata = {} } = head
  // S3 sends both with every object; their absence would be a contract that changed.
  if (etag === undefined || bytes === undefined) throw new Error('S3 sent no ETag, or no Content-Length')
  return { source: { s3, bucket, key, versionId, etag, bytes }, metadata }
}

const isGone = (error: unknown): boolean =>
  error instanceof NotFound || (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404)

export const objectGone = ({ bucket, key }: LandedObject, cause?: unknown): UserError =>
  new UserError('landing.objectGone', `The object ${key} is no longer in ${bucket}.`, { cause })

/** A version that is to be imported. */
export interface LandedVersion {
  source: DescribedSource['source']
  target: LandingTarget
  /** Identity of the object version. */
  versionId: string
}

/** One execution's work on a key whose lease it holds. */
export interface KeyWork {
  services: StartImportDependencies
  key: { state: KeyState; save: () => Promise<void> }
  /** The version that the event names. */
  own: LandedVersion
  /** As S3 has them, newest first, and which of them is the own one. */
  versions: readonly VersionMark[]
  mark: VersionMark
  /** Throws `Pause` when this step has lasted so long that another function goes on. */
  pauseInTime: () => void
}

export const progressOf = ({ own, services }: KeyWork, { versionId }: VersionMark): Promise<Progress> =>
  services.records.progress(objectVersionId({ ...own.source, versionId }))

/** Imports a version of the key. What is wrong with another one than the event's own does not stop this one: `undefined`. */
export const importOf = async (
  work: KeyWork,
  version: VersionMark,
  before: Progress,
): Promise<WithJob | undefined> => {
  const { services, own } = work
  const progress = { ...before, isSkipped: false }
  if (version.versionId === work.mark.versionId) return importVersion(services, own, progress)
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
 * Makes one job of one object version: a file is prepared, its bytes are moved, the import is accepted.
 *
 * Progress is saved before each step that must not happen twice, so that a repeated call resumes where an earlier one
 * died. Throws `UserError` for an object that cannot be loaded, before any byte of it is moved, and `Pause` where several
 * functions have to move its parts.
 */
export const importVersion = async (
  services: StartImportDependencies,
  version: LandedVersion,
  before: Progress,
): Promise<WithJob> => {
  const { storage, records, acceptedLoads, hasIfExists } = services
  const { versionId, target, source } = version
  if (!before.isUploaded)
    await (acceptedLoads ? refuseTooLarge([source], acceptedLoads) : refuseOtherThanCsv(source))
  const reached = before.isUploaded ? before : await uploadFile(services, { ...version, progress: before })
  if (Array.isArray(reached)) throw new Pause({ next: 'each', parts: reached, state: source.versionId })
  const { fileId, ...uploaded } = reached
  if (fileId === undefined) throw new Error('A version whose bytes are there has a file')
  // Before its bytes were there, nobody can have asked for its import. Afterwards a crash may have come between the service's acceptance
  // and our record of it: every service is asked for a job that reads the file, which only this import does. Our own also knows the
  // job by its key.
  const isRepeated = before.isUploaded
  const found = isRepeated ? await storage.findJobOfFile(fileId) : undefined
  const load = { ...target, dataFileId: fileId }
  const idempotencyKey = `${versionId}-${uploaded.attempt}`
  const options = async () => ({ idempotencyKey, isRepeated, hasIfExists: await hasIfExists(storage) })
  const job: Job = found ?? (await loadIntoTable(storage, load, await options())).job
  const isCreating = job.operationName !== 'tableImport'
  const isIncremental = target.incremental
  // A death before this line: docs/architecture.md.
  const accepted = { ...uploaded, fileId, jobId: job.id, isCreating, isIncremental }
  await records.saveProgress(versionId, accepted)
  if (!isIncremental) await sayOtherKey(services, { key: source.key, tableId: target.tableId })
  return { ...accepted, retryAfterSeconds: job.retryAfterSeconds }
}

/** A hosted service takes the bytes of any file for CSV. */
const refuseOtherThanCsv = async (source: DescribedSource['source']): Promise<void> => {
  if (await nameColumns([source]))
    throw new UserError(
      'landing.notCsv',
      `${source.key} is JSON or Parquet, which the service that loads this bucket's files does not read. Write it as CSV.`,
    )
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

/** Until a job is looked at that the next version waits for. */
export const JOB_WAIT_SECONDS = 1

export const afterJob = (jobId: number | undefined): Pause =>
  new Pause(again(JOB_WAIT_SECONDS, jobId === undefined ? undefined : executionOfJob(jobId)))

/**
 * `error`: also where there is no job. `tableExists`: it was to create a table that another job had created, and the version is to be
 * imported into that one.
 */
type JobEnd = 'running' | 'success' | 'error' | 'tableExists'

export const jobEnd = async (storage: StorageClient, { jobId }: Progress): Promise<JobEnd> => {
  if (jobId === undefined) return 'error'
  const job = await unlessGone(storage.job(jobId))
  // A service may forget its jobs after a while: this one was accepted long ago.
  if (!job || job.status === 'success') return 'success'
  if (job.status !== 'error') return 'running'
  return isTableMadeMeanwhile(job) ? 'tableExists' : 'error'
}

/** Throws `Pause` while the job of a version runs. */
export const endOf = async ({ services }: KeyWork, progress: Progress): Promise<JobEnd> => {
  const end = await jobEnd(services.storage, progress)
  if (end === 'running') throw afterJob(progress.jobId)
  return end
}

export const unlessGone = <Found>(found: Promise<Found>): Promise<Found | undefined> =>
  found.catch((error: unknown) => {
    if (error instanceof UserError && error.status === 404) return undefined
    throw error
  })
