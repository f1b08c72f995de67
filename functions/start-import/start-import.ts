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
  type DescribedSource,
  describeSource,
  followJob,
  hasJob,
  type ImportAnswer,
  type JobAnswer,
  type LandedVersion,
  type StartImportDependencies,
  targetOf,
} from './import-version.ts'
import { type KeyLease, objectKeyId, objectVersionId, type Progress } from './key-records.ts'
import { whyIgnored } from './landing-target.ts'
import type { NumberRange } from './transfer.ts'

const partNumber = z.int().check(z.positive())
export const partsToMove = z.object({ from: partNumber, to: partNumber })

/** The version whose parts several functions move: the event's own, or an older one that is imported first. */
const movedVersion = z.nullable(z.string())

/**
 * One step of an import: makes one job of one object version, however often and in whatever order events of it come,
 * after those of the older versions of its key. The success of the job ends the import. Resolves to nothing for a part of
 * an object that several functions move.
 *
 * Throws `UserError` when the key, the metadata or the object is at fault, `TransientError` when the service is.
 */
export const importStep = async (
  { input, execution, since, state, job, part, failure: failed }: StepEvent,
  services: StartImportDependencies,
): Promise<ImportAnswer | undefined> => {
  const landed = parseEvent(landedObject, input)
  const reason = whyIgnored(landed.key)
  if (reason !== undefined) return { next: 'done', output: { outcome: 'ignored', reason } }
  const moved = parseEvent(movedVersion, state)
  // Two files for one new table landed together, and the other created it first: this one is imported into that table.
  const hasFailed = job?.status === 'error' && job.error.code !== TABLE_EXISTS_CODE
  const failure = hasFailed ? { Error: job.error.code, Cause: job.error.message } : failed
  if (failure) return giveUp(services, landed, { execution, failure, moved })
  if (part !== undefined) {
    const version = { ...landed, versionId: moved ?? landed.versionId }
    return moveParts(services, version, parseEvent(partsToMove, part))
  }
  const ageSeconds = (services.now().getTime() - since.getTime()) / 1000
  return asPatientAs(ageSeconds, await importLanded(services, landed, execution))
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

/** A function has 15 minutes, and the largest object that it moves by itself takes some three. */
const LONGEST_STEP_MS = 5 * 60_000

const importLanded = async (
  services: StartImportDependencies,
  landed: LandedObject,
  execution: string,
): Promise<ImportAnswer> => {
  const { source, metadata } = await describeSource(services.s3, landed)
  const target = await targetOf(landed.key, metadata, services)
  const versionId = objectVersionId(source)
  const own = { source, target, versionId }
  const taken = await takeKey(services, landed, { owner: execution, versionId })
  if (taken.outcome === 'held') return whileHeld(services, own, taken.by)

  const { key } = taken
  const endsAt = services.now().getTime() + LONGEST_STEP_MS
  const isTooLong = () => services.now().getTime() > endsAt
  const answer = await importInOrder({ services, key, own, isTooLong })
  const isRepeated = answer.next === 'poll' && answer.output.outcome === 'alreadyStarted'
  if (isRepeated || taken.deadOwner !== undefined) key.state.mayHaveFailed = true
  // Nobody else may begin while parts are on their way.
  if (answer.next === 'each') await key.save()
  else await key.release()
  return answer.next === 'poll' && key.state.mayHaveFailed
    ? withMends(own, answer, await services.records.progress(versionId))
    : answer
}

const takeKey = async (
  { records }: StartImportDependencies,
  landed: LandedObject,
  { owner, versionId }: KeyLease,
) => {
  const keyId = objectKeyId(landed)
  const taken = await records.takeLease(keyId, { owner, versionId })
  if (taken.outcome === 'held') return taken
  const lease = records.leaseOf(keyId)
  const key = {
    state: taken.content,
    save: () => lease.save(owner, key.state),
    release: () => lease.saveAndRelease(owner, key.state),
  }
  return { ...taken, key }
}

/** What its success mends, where anything of the key may have failed. */
const withMends = (
  { source, target }: LandedVersion,
  answer: JobAnswer,
  { isIncremental = target.incremental }: Progress,
): ImportAnswer => {
  const mends = { isIncremental, versionId: source.versionId }
  return { ...answer, output: { ...answer.output, mends } }
}

/** Long enough for a short import to end, short enough that nobody notices. */
const LEASE_WAIT_SECONDS = 2

/** Another execution works on the key: it may have imported this version already. */
const whileHeld = async (
  { records, storage }: StartImportDependencies,
  own: LandedVersion,
  by: KeyLease,
): Promise<ImportAnswer> => {
  if (by.versionId === own.versionId)
    return { next: 'done', output: { outcome: 'duplicate', execution: by.owner } }
  const progress = await records.progress(own.versionId)
  // A late version has ended when the newer ones are loaded again behind it.
  if (hasJob(progress) && progress.reloadedVersions === 0) {
    const end = await jobEnd(storage, progress)
    if (end === 'running' || end === 'success')
      return withMends(own, followJob(own, 'alreadyStarted', progress), progress)
  }
  return again(LEASE_WAIT_SECONDS, executionName(by.owner))
}

const moveParts = async (
  { s3, storage, records, transfer }: StartImportDependencies,
  landed: LandedObject,
  range: NumberRange,
): Promise<undefined> => {
  const { source } = await describeSource(s3, landed)
  const { fileId, uploadId, isUploaded } = await records.progress(objectVersionId(source))
  if (isUploaded) return
  if (fileId === undefined || uploadId === undefined)
    throw new UserError('source.changed', `The move of ${source.key} was given up meanwhile.`)
  await transfer.moveRange(source, await storage.file(fileId), uploadId, range)
}

/** After an import has failed for good: says why, leaves no parts of an unfinished move, and lets the next execution begin. */
const giveUp = async (
  services: StartImportDependencies,
  landed: LandedObject,
  given: { execution: string; failure: MachineFailure; moved: string | null },
): Promise<ImportAnswer> => {
  const { execution, moved } = given
  // Nothing is known of an object that is gone.
  const found = await describeSource(services.s3, landed).catch(() => undefined)
  const versionId = landed.versionId ?? found?.source.versionId
  const taken = await takeKey(services, landed, { owner: execution, versionId: '' })
  const key = taken.outcome === 'taken' ? taken.key : undefined
  if (key) key.state.mayHaveFailed = true
  let hasJob = false
  try {
    if (versionId !== undefined)
      hasJob = await abandonOwn(services, objectVersionId({ ...landed, versionId }))
    // Newer versions are imported without the one whose parts could not be moved.
    if (key && moved !== null && moved !== versionId)
      await abandonMove(services, objectVersionId({ ...landed, versionId: moved }), { isSkipped: true })
  } finally {
    // The lease must be released even when there is more to clean up than can be done.
    await key?.release()
  }
  const failure = describeFailure(given.failure)
  // The event of a job would have said it.
  if (!hasJob) await reportFailure(services, { landed, execution, failure })
  return { next: 'failed', failure, details: found ? await describeFailed(services, found) : {} }
}

/** Resolves to whether the import had come to a job. */
const abandonOwn = async (services: StartImportDependencies, versionId: string): Promise<boolean> => {
  const { records, storage, log } = services
  const progress = await records.progress(versionId)
  if (hasJob(progress)) {
    await records.saveProgress(versionId, { ...progress, isFailureReported: true })
    return true
  }
  await abandonMove(services, versionId, {})
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
  services: StartImportDependencies,
  { source, metadata }: DescribedSource,
): Promise<{ isIncremental?: boolean | null; versionId?: string | undefined }> => {
  const { versionId } = source
  try {
    const { incremental } = await targetOf(source.key, metadata, services)
    return { isIncremental: incremental, versionId }
  } catch (error) {
    return error instanceof UserError && error.code.startsWith('landing.')
      ? { isIncremental: null }
      : { versionId }
  }
}

const reportFailure = async (
  { storage, log }: StartImportDependencies,
  given: { landed: LandedObject; execution: string; failure: Failure },
): Promise<void> => {
  const { landed, execution, failure: error } = given
  const { bucket, key, versionId = null } = landed
  const message = `Import of ${key} failed: ${error.message}`
  const params = { bucket, key, versionId, error }
  await storage
    .postEvent({ component: COMPONENT, type: 'error', message, params }, `${executionName(execution)}-end`)
    // The key must be released all the same, and the dead letter says it too.
    .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
}
