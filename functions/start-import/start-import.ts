import { HeadObjectCommand, NotFound, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import type { SourceObject } from '../lib/aws/multipart/source-object.ts'
import { UserError } from '../lib/errors/errors.ts'
import type { Job, StorageClient } from '../lib/storage-client/storage-client.ts'
import { TABLE_EXISTS_CODE } from '../lib/storage-client/table-exists-code.ts'
import type { LandedObject, StartImportEvent } from './event.ts'
import type { ImportRecords, Progress } from './import-records.ts'
import type { LandingRule } from './landing-rules.ts'
import { type LandingTarget, landingTarget } from './landing-target.ts'
import type { NumberRange } from './move-ranges.ts'
import { isLater, objectKeyId, objectVersionId } from './object-version.ts'
import type { Transfer } from './transfer.ts'

export interface StartImportDependencies {
  /** Reads the landing bucket. */
  s3: S3Client
  /** Brings the bytes of the object into the prepared file. */
  transfer: Transfer
  storage: StorageClient
  records: ImportRecords
  rules: readonly LandingRule[]
}

/** What became of the event. The state machine goes on only with `started`; it asks again after `busy`. */
export type StartImportResult =
  | { outcome: 'started' | 'alreadyStarted'; jobId: number; fileId: number; tableId: string }
  /** Another execution is importing this very object version. */
  | { outcome: 'duplicate'; execution: string }
  /** Another version of this key is being started: imports of one key go one after the other. */
  | { outcome: 'busy'; waitSeconds: number }
  /** A newer version of this key was imported whole before this one arrived. */
  | { outcome: 'superseded' }
  /** A folder marker: nothing to import. */
  | { outcome: 'ignored' }
  /** Several functions move the parts of these ranges; then the step comes again. */
  | { outcome: 'moving'; fileId: number; ranges: NumberRange[] }
  /** The parts that were asked for are there. */
  | { outcome: 'moved' }
  /** The turn was given back after a failure. */
  | { outcome: 'released' }

const BUSY_WAIT_SECONDS = 2

/**
 * Makes one job of one object version, however often and in whatever order it is told of it.
 *
 * Progress is saved before each step that must not happen twice, under a turn that the same execution may enter again
 * after a crash: a file is prepared, its bytes are moved, the import is accepted. Throws `UserError` when the key,
 * the metadata or the object is at fault, `TransientError` when the service is.
 */
export const startImport = async (
  dependencies: StartImportDependencies,
  { event: landed, execution, failure, move }: StartImportEvent,
): Promise<StartImportResult> => {
  const { records } = dependencies
  if (landed.key.endsWith('/')) return { outcome: 'ignored' }

  const keyId = objectKeyId(landed)
  if (failure) {
    // The turn must be given back even when there is more to clean up than can be done.
    await abandonMove(dependencies, landed).finally(() => records.endTurn(keyId, execution))
    return { outcome: 'released' }
  }

  const { source, metadata } = await describeSource(dependencies.s3, landed)
  if (move) return moveParts(dependencies, { source, landed, move })
  const target = landingTarget(landed.key, metadata, dependencies.rules)
  const versionId = objectVersionId(landed, source.etag)

  const turn = await records.takeTurn(keyId, { owner: execution, versionId })
  if (turn.outcome === 'held') {
    return turn.by.versionId === versionId
      ? { outcome: 'duplicate', execution: turn.by.owner }
      : { outcome: 'busy', waitSeconds: BUSY_WAIT_SECONDS }
  }

  const progress = await progressToContinue(dependencies, versionId)
  if (progress.jobId === undefined && !target.incremental && isLater(turn.lastSequencer, landed.sequencer)) {
    await records.endTurn(keyId, execution)
    return { outcome: 'superseded' }
  }

  const started = await startJob(dependencies, { source, target, versionId, progress })
  if (started.outcome === 'moving') return started
  const isNewest = !isLater(turn.lastSequencer, landed.sequencer)
  await records.endTurn(keyId, execution, isNewest ? landed.sequencer : undefined)
  return { ...started, tableId: target.tableId }
}

/** The progress so far, or that of a new attempt when the last one ended in an error. */
const progressToContinue = async (
  { storage, records }: StartImportDependencies,
  versionId: string,
): Promise<Progress> => {
  const progress = await records.progress(versionId)
  if (progress.jobId === undefined) return progress
  const job = await storage.job(progress.jobId)
  return job.status === 'error' ? { attempt: progress.attempt + 1, isUploaded: false } : progress
}

interface ImportWork {
  source: SourceObject
  target: LandingTarget
  versionId: string
  progress: Progress
}

const startJob = async (dependencies: StartImportDependencies, work: ImportWork) => {
  const { versionId, progress } = work
  if (progress.jobId !== undefined && progress.fileId !== undefined) {
    return { outcome: 'alreadyStarted' as const, jobId: progress.jobId, fileId: progress.fileId }
  }
  const { fileId, ranges } = await uploadFile(dependencies, work)
  if (ranges.length > 0) return { outcome: 'moving' as const, fileId, ranges }
  const job = await acceptImport(dependencies, work, fileId)
  await dependencies.records.saveProgress(versionId, { ...progress, fileId, isUploaded: true, jobId: job.id })
  return { outcome: 'started' as const, jobId: job.id, fileId }
}

/**
 * The object as a file of the service, or the ranges of it that are to be moved first. A file whose upload was cut
 * short is replaced: its credentials are gone. An upload that several functions fill is gone on with.
 */
const uploadFile = async (
  { storage, records, transfer }: StartImportDependencies,
  { source, versionId, progress }: ImportWork,
): Promise<{ fileId: number; ranges: NumberRange[] }> => {
  const { fileId: knownId, uploadId } = progress
  if (knownId !== undefined && progress.isUploaded) return { fileId: knownId, ranges: [] }
  if (knownId !== undefined && uploadId !== undefined) {
    const ranges = await transfer.finish(source, await storage.file(knownId), uploadId)
    if (ranges?.length === 0) await records.saveProgress(versionId, { ...progress, isUploaded: true })
    if (ranges) return { fileId: knownId, ranges }
  }
  if (knownId !== undefined) await storage.deleteFile(knownId)

  const file = await storage.prepareFile({
    name: source.key.slice(source.key.lastIndexOf('/') + 1),
    sizeBytes: source.bytes,
    tags: ['millrace-landing'],
  })
  const prepared = { ...progress, fileId: file.id, uploadId: undefined }
  await records.saveProgress(versionId, prepared)
  const upload = await transfer.start(source, file)
  if (upload) {
    await records.saveProgress(versionId, { ...prepared, ...upload })
    const ranges = await transfer.finish(source, await storage.file(file.id), upload.uploadId)
    return { fileId: file.id, ranges: ranges ?? [] }
  }
  await records.saveProgress(versionId, { ...prepared, isUploaded: true })
  return { fileId: file.id, ranges: [] }
}

const acceptImport = async (
  { storage }: StartImportDependencies,
  { target, versionId, progress }: ImportWork,
  fileId: number,
): Promise<Job> => {
  // A crash between the service's acceptance and our record of it: our own service finds the job by its key, a
  // hosted one by the file that only this import reads.
  const accepted = progress.isUploaded ? await storage.findJobOfFile(fileId) : undefined
  if (accepted) return accepted

  const idempotencyKey = `${versionId}-${progress.attempt}`
  const { bucketId, tableName, tableId, primaryKey, incremental, delimiter, enclosure, columns } = target
  const format = { dataFileId: fileId, delimiter, enclosure, columns }
  const importIntoTable = () => storage.importTable({ ...format, tableId, incremental }, idempotencyKey)
  if (await storage.hasTable(tableId)) return importIntoTable()
  if (!(await storage.hasBucket(bucketId))) await storage.createBucket(bucketId)
  return storage
    .createTable({ ...format, bucketId, name: tableName, primaryKey }, idempotencyKey)
    .catch((error: unknown) => {
      // Another file made the table in this very moment.
      if (error instanceof UserError && error.code === TABLE_EXISTS_CODE) return importIntoTable()
      throw error
    })
}

/** Throws `UserError` (`source.changed`) when the object is no longer the one whose move was begun. */
const moveParts = async (
  { storage, records, transfer }: StartImportDependencies,
  { source, landed, move }: { source: SourceObject; landed: LandedObject; move: NumberRange },
): Promise<StartImportResult> => {
  const { fileId, uploadId, isUploaded } = await records.progress(objectVersionId(landed, source.etag))
  if (isUploaded) return { outcome: 'moved' }
  if (fileId === undefined || uploadId === undefined) {
    throw new UserError('source.changed', `The object ${source.key} was replaced while it was moved.`)
  }
  await transfer.moveRange(source, await storage.file(fileId), uploadId, move)
  return { outcome: 'moved' }
}

/** Leaves no parts of an object whose move has failed; another attempt begins with a new file. */
const abandonMove = async (
  { s3, storage, records, transfer }: StartImportDependencies,
  landed: LandedObject,
): Promise<void> => {
  const found = await describeSource(s3, landed).catch(() => undefined)
  const etag = found?.source.etag
  if (landed.versionId === undefined && etag === undefined) return
  const versionId = objectVersionId(landed, etag ?? '')
  const { uploadId, fileId, isUploaded, attempt } = await records.progress(versionId)
  if (uploadId === undefined || fileId === undefined || isUploaded) return
  await transfer.abort(await storage.file(fileId), uploadId)
  await storage.deleteFile(fileId)
  await records.saveProgress(versionId, { attempt, isUploaded: false })
}

const describeSource = async (s3: S3Client, { bucket, key, versionId }: LandedObject) => {
  const head = await s3
    .send(new HeadObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }))
    .catch((cause: unknown) => {
      throw isGone(cause)
        ? new UserError('landing.objectGone', `The object ${key} is no longer in ${bucket}.`, { cause })
        : cause
    })
  const source: SourceObject = {
    s3,
    bucket,
    key,
    versionId: versionId ?? head.VersionId,
    // S3 sends both with every object; their absence would be a contract that changed.
    etag: required(head.ETag, 'ETag'),
    bytes: required(head.ContentLength, 'Content-Length'),
  }
  return { source, metadata: head.Metadata ?? {} }
}

const isGone = (error: unknown): boolean =>
  error instanceof NotFound || (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404)

const required = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`S3 sent no ${name}`)
  return value
}
