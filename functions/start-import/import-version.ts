import { HeadObjectCommand, NotFound, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import type { SourceObject } from '../lib/cloud/multipart/source-object.ts'
import { type AcceptedLoads, refuseTooLarge } from '../lib/distributed/load-limits.ts'
import type { Answer } from '../lib/drive/step.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import type { LandedObject } from '../lib/landed-object.ts'
import { nameColumns } from '../lib/storage/files/list-slices.ts'
import { loadIntoTable } from '../lib/storage-client/load-into-table.ts'
import type { Job, StorageClient } from '../lib/storage-client/storage-client.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import { type ImportRecords, NULL_VERSION, type ObjectVersion, type Progress } from './key-records.ts'
import type { LandingRule } from './landing-rules.ts'
import { type LandingTarget, landingTarget } from './landing-target.ts'
import type { Transfer } from './transfer.ts'

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
export type WithJob = Progress & { jobId: number; retryAfterSeconds?: number | undefined }

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

/** The metadata of the object says most, then a rule, then the table. Throws `UserError`. */
export const targetOf = async (
  key: string,
  metadata: Readonly<Record<string, string>>,
  { rules, storage }: Pick<StartImportDependencies, 'rules' | 'storage'>,
): Promise<LandingTarget> => {
  const { tableId } = landingTarget(key, metadata, rules)
  return landingTarget(key, metadata, rules, await storage.loadSettings(tableId))
}

/** A version that is to be imported. */
export interface LandedVersion {
  source: DescribedSource['source']
  target: LandingTarget
  /** Identity of the object version. */
  versionId: string
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
  const { fileId, ...uploaded } = before.isUploaded ? before : await uploadFile(services, version, before)
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

/** The end of the key, which may have 1,024 bytes, as far as a file of the service may have a name. */
const fileName = (key: string): string =>
  key
    .slice(key.lastIndexOf('/') + 1)
    .slice(-500)
    .replace(/^[\uDC00-\uDFFF]/, '')

/**
 * The progress of a version whose bytes are a file of the service. A file whose upload was cut short is replaced: its
 * credentials are gone. An upload that several functions fill is resumed.
 */
const uploadFile = async (
  services: StartImportDependencies,
  version: LandedVersion,
  progress: Progress,
): Promise<Progress> => {
  const { storage, records, transfer } = services
  const { source, versionId } = version
  const resumed = await finishUpload(services, version, progress)
  if (resumed) return resumed
  if (progress.fileId !== undefined) await storage.deleteFile(progress.fileId)

  const tags = ['millrace-landing']
  const file = await storage.prepareFile({ name: fileName(source.key), sizeBytes: source.bytes, tags })
  const prepared = { ...progress, fileId: file.id, uploadId: undefined }
  const noted = await records.saveProgress(versionId, prepared)
  const upload = await transfer.start(source, file)
  if (!upload) return records.saveProgress(versionId, { ...noted, isUploaded: true })
  const begun = await records.saveProgress(versionId, { ...noted, ...upload })
  const finished = await finishUpload(services, version, begun)
  if (!finished)
    throw new TransientError('landing.uploadGone', `The upload of ${source.key} was aborted by others.`)
  return finished
}

/** `undefined`: there is no upload, or it is gone without an object. Throws `Pause` with the ranges that are missing. */
const finishUpload = async (
  { storage, records, transfer }: StartImportDependencies,
  { source, versionId }: LandedVersion,
  progress: Progress,
): Promise<Progress | undefined> => {
  const { fileId, uploadId } = progress
  if (fileId === undefined || uploadId === undefined) return undefined
  const missing = await transfer.finish(source, await storage.file(fileId), uploadId)
  if (!missing) return undefined
  if (missing.length > 0) throw new Pause({ next: 'each', parts: missing, state: source.versionId })
  return records.saveProgress(versionId, { ...progress, isUploaded: true })
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
