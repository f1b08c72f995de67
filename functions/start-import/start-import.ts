import * as z from 'zod/mini'
import { executionName } from '../lib/cloud/execution-name.ts'
import type { StepEvent } from '../lib/drive/step.ts'
import { UserError } from '../lib/errors/errors.ts'
import { describeFailure, type Failure, type MachineFailure } from '../lib/errors/machine-failure.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import { type LandedObject, landedObject } from '../lib/landed-object.ts'
import { patientWait } from '../lib/patient-wait.ts'
import { TABLE_EXISTS_CODE } from '../lib/storage-client/table-exists-code.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import { importInOrder, jobEnd } from './import-in-order.ts'
import {
  again,
  COMPONENT,
  followJob,
  type ImportAnswer,
  type JobAnswer,
  type OwnVersion,
  type StartImportDependencies,
  targetOf,
} from './import-version.ts'
import { holdKey, type KeyLease, type Progress } from './key-records.ts'
import { whyIgnored } from './landing-target.ts'
import { type DescribedSource, describeSource, objectKeyId, objectVersionId } from './object-version.ts'

const partNumber = z.int().check(z.positive())

/** `versionId`: of an older version than the event's own, which is imported first. */
export const partsToMove = z.object({ from: partNumber, to: partNumber, versionId: z.nullish(z.string()) })

/** What landed, which execution asks, and what for: to import (no more fields), to move parts, or to clean up. */
export interface StartImportEvent {
  event: LandedObject
  execution: string
  /** When the execution began. Default: now. */
  since?: Date
  failure?: MachineFailure
  /** Parts of an object that several functions move. */
  move?: z.infer<typeof partsToMove>
}

/**
 * One step of an import: the object becomes a file and a job, whose success ends the import. Resolves to nothing for a part of an
 * object that several functions move.
 */
export const importStep = (
  { input, execution, since, job, part, failure: failed }: StepEvent,
  dependencies: StartImportDependencies,
): Promise<ImportAnswer | undefined> => {
  const asked = { event: parseEvent(landedObject, input), execution, since }
  // Two files for one new table landed together, and the other created it first: this one is imported into that table.
  const hasFailed = job?.status === 'error' && job.error.code !== TABLE_EXISTS_CODE
  const failure = hasFailed ? { Error: job.error.code, Cause: job.error.message } : failed
  if (failure) return startImport(dependencies, { ...asked, failure })
  if (part !== undefined) return startImport(dependencies, { ...asked, move: parseEvent(partsToMove, part) })
  return startImport(dependencies, asked)
}

/** Long enough for a short import to end, short enough that nobody notices. */
const LEASE_WAIT_SECONDS = 2

/**
 * Makes one job of one object version, however often and in whatever order events of it come, after those of the older
 * versions of its key.
 *
 * Throws `UserError` when the key, the metadata or the object is at fault, `TransientError` when the service is.
 */
export const startImport = async (
  dependencies: StartImportDependencies,
  { event: landed, execution, since, failure, move }: StartImportEvent,
): Promise<ImportAnswer | undefined> => {
  const reason = whyIgnored(landed.key)
  if (reason !== undefined) return { next: 'done', output: { outcome: 'ignored', reason } }
  if (failure) return giveUp(dependencies, landed, { execution, failure })
  if (move) return moveParts(dependencies, landed, move)
  const now = dependencies.now()
  const ageSeconds = (now.getTime() - (since ?? now).getTime()) / 1000
  return asPatientAs(ageSeconds, await importLanded(dependencies, landed, execution))
}

/**
 * The answer to an execution of this age: the longer it has waited, the longer it waits until it asks again. Among
 * thousands of files the hook itself comes late, and then the job waits behind others too.
 */
export const asPatientAs = (ageSeconds: number, answer: ImportAnswer): ImportAnswer => {
  if (answer.next === 'again') return { ...answer, waitSeconds: patientWait(answer.waitSeconds, ageSeconds) }
  if (answer.next !== 'poll') return answer
  return { ...answer, waitSeconds: Math.max(answer.waitSeconds, waitSecondsAt(ageSeconds)) }
}

const importLanded = async (
  dependencies: StartImportDependencies,
  landed: LandedObject,
  execution: string,
): Promise<ImportAnswer> => {
  const { s3, records } = dependencies
  const { source, metadata } = await describeSource(s3, landed)
  const target = await targetOf(landed.key, metadata, dependencies)
  const versionId = objectVersionId(source)
  const own = { source, target, versionId }
  const taken = await takeKey(dependencies, landed, { owner: execution, versionId })
  if (taken.outcome === 'held') return whileHeld(dependencies, own, taken.by)

  const { key } = taken
  const answer = await importInOrder({ services: dependencies, key, own })
  const isRepeated = answer.next === 'poll' && answer.output.outcome === 'alreadyStarted'
  if (isRepeated || taken.deadOwner !== undefined) key.change({ mayHaveFailed: true })
  // Nobody else may begin while parts are on their way.
  if (answer.next === 'each') await key.save()
  else await key.release()
  return answer.next === 'poll' && key.state.mayHaveFailed
    ? withMends(own, answer, await records.progress(versionId))
    : answer
}

const takeKey = async (
  { records }: StartImportDependencies,
  landed: LandedObject,
  { owner, versionId }: KeyLease,
) => {
  const keyId = objectKeyId(landed)
  const lease = await records.takeLease(keyId, { owner, versionId })
  if (lease.outcome === 'held') return lease
  return { ...lease, key: holdKey(records.leaseOf(keyId), { owner, state: lease.content }) }
}

/** What its success mends, where anything of the key may have failed. */
const withMends = (
  { source, target }: OwnVersion,
  answer: JobAnswer,
  { isIncremental = target.incremental }: Progress,
): ImportAnswer => {
  const mends = { isIncremental, versionId: source.versionId }
  return { ...answer, output: { ...answer.output, mends } }
}

/** Another execution works on the key: it may have imported this version already. */
const whileHeld = async (
  dependencies: StartImportDependencies,
  own: OwnVersion,
  by: KeyLease,
): Promise<ImportAnswer> => {
  if (by.versionId === own.versionId)
    return { next: 'done', output: { outcome: 'duplicate', execution: by.owner } }
  const progress = await dependencies.records.progress(own.versionId)
  const follow = followJob(own, 'alreadyStarted', progress)
  // A late version has ended when the newer ones are loaded again behind it.
  if (follow && progress.reloadedVersions === 0) {
    const end = await jobEnd(dependencies.storage, follow.jobId)
    if (end === 'running' || end === 'success') return withMends(own, follow, progress)
  }
  return again(LEASE_WAIT_SECONDS, executionName(by.owner))
}

const moveParts = async (
  { s3, storage, records, transfer }: StartImportDependencies,
  landed: LandedObject,
  { versionId: other, ...range }: z.infer<typeof partsToMove>,
): Promise<undefined> => {
  const { source } = await describeSource(s3, { ...landed, versionId: other ?? landed.versionId })
  const { fileId, uploadId, isUploaded } = await records.progress(objectVersionId(source))
  if (isUploaded) return
  if (fileId === undefined || uploadId === undefined)
    throw new UserError('source.changed', `The move of ${source.key} was given up meanwhile.`)
  await transfer.moveRange(source, await storage.file(fileId), uploadId, range)
}

/** After an import has failed for good: says why, leaves no parts of an unfinished move, and lets the next execution begin. */
const giveUp = async (
  dependencies: StartImportDependencies,
  landed: LandedObject,
  { execution, failure: reported }: { execution: string; failure: MachineFailure },
): Promise<ImportAnswer> => {
  // Nothing is known of an object that is gone.
  const found = await describeSource(dependencies.s3, landed).catch(() => undefined)
  const versionId = landed.versionId ?? found?.source.versionId
  const taken = await takeKey(dependencies, landed, { owner: execution, versionId: '' })
  const key = taken.outcome === 'taken' ? taken.key : undefined
  key?.change({ mayHaveFailed: true })
  let hasJob = false
  try {
    if (versionId !== undefined)
      hasJob = await abandonOwn(dependencies, objectVersionId({ ...landed, versionId }))
    const other = key?.state.moving
    if (other !== undefined) {
      await abandonMove(dependencies, objectVersionId({ ...landed, versionId: other }), { isSkipped: true })
      key?.change({ moving: undefined })
    }
  } finally {
    // The lease must be released even when there is more to clean up than can be done.
    await key?.release()
  }
  const failure = describeFailure(reported)
  // The event of a job would have said it.
  if (!hasJob) await reportFailure(dependencies, { landed, execution, failure })
  return { next: 'failed', failure, details: found ? await describeFailed(dependencies, found) : {} }
}

/** Resolves to whether the import had come to a job. */
const abandonOwn = async (dependencies: StartImportDependencies, versionId: string): Promise<boolean> => {
  const { records, storage, log } = dependencies
  const progress = await records.progress(versionId)
  if (progress.jobId !== undefined) {
    await records.saveProgress(versionId, { ...progress, isFailureReported: true })
    return true
  }
  await abandonMove(dependencies, versionId, {})
  const { fileId, isUploaded } = progress
  if (fileId === undefined || !isUploaded) return false
  // Died between the acceptance of its job and the note of it: the job runs on, and whoever tries again finds it by its file.
  const job = await storage
    .findJobOfFile(fileId)
    .catch((error: unknown) => log.warn('job of file not looked for', { reason: String(error) }))
  return job !== undefined
}

/** Another attempt begins with a new file. */
const abandonMove = async (
  { storage, records, transfer }: StartImportDependencies,
  versionId: string,
  mark: Partial<Progress>,
): Promise<void> => {
  const { uploadId, fileId, ...progress } = await records.progress(versionId)
  if (uploadId === undefined || fileId === undefined || progress.isUploaded) return
  await transfer.abort(await storage.file(fileId), uploadId)
  await storage.deleteFile(fileId)
  await records.saveProgress(versionId, { ...progress, ...mark })
}

/** What the dead letter says of the file. `null`: its key or its metadata say nothing that can be followed. */
const describeFailed = async (
  dependencies: StartImportDependencies,
  { source, metadata }: DescribedSource,
): Promise<{ isIncremental?: boolean | null; versionId?: string | undefined }> => {
  const { versionId } = source
  try {
    const { incremental } = await targetOf(source.key, metadata, dependencies)
    return { isIncremental: incremental, versionId }
  } catch (error) {
    return error instanceof UserError && error.code.startsWith('landing.')
      ? { isIncremental: null }
      : { versionId }
  }
}

const reportFailure = async (
  { storage, log }: Pick<StartImportDependencies, 'storage' | 'log'>,
  given: { landed: LandedObject; execution: string; failure: Failure },
): Promise<void> => {
  const { landed, execution, failure: error } = given
  const { bucket, key, versionId = null } = landed
  const message = `Import of ${key} failed: ${error.message}`
  const event = {
    component: COMPONENT,
    type: 'error',
    message,
    params: { bucket, key, versionId, error },
  } as const
  await storage
    .postEvent(event, `${executionName(execution)}-end`)
    // The key must be released all the same, and the dead letter says it too.
    .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
}
