import * as z from 'zod/mini'
import { executionName } from '../lib/cloud/execution-name.ts'
import type { StepEvent } from '../lib/drive/step.ts'
import { UserError } from '../lib/errors/errors.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import { type LandedObject, landedObject } from '../lib/landed-object.ts'
import { patientWait } from '../lib/patient-wait.ts'
import { TABLE_EXISTS_CODE } from '../lib/storage-client/table-exists-code.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import { giveUp } from './give-up.ts'
import {
  afterJob,
  again,
  describeSource,
  followJob,
  hasJob,
  type ImportAnswer,
  importOf,
  JOB_WAIT_SECONDS,
  type JobAnswer,
  jobEnd,
  type KeyWork,
  type LandedVersion,
  objectGone,
  Pause,
  progressOf,
  type StartImportDependencies,
} from './import-version.ts'
import {
  type KeyLease,
  nextAttempt,
  objectVersionId,
  type Progress,
  readVersions,
  takeKey,
  versionsAfter,
} from './key-records.ts'
import { targetOf, whyIgnored } from './landing-target.ts'
import { importLate, ownOutcome } from './late-version.ts'
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
  const answer = await importInOrder({ services, key, own })
  const isRepeated = answer.next === 'poll' && answer.output.outcome === 'alreadyStarted'
  if (isRepeated || taken.deadOwner !== undefined) key.state.mayHaveFailed = true
  // Nobody else may begin while parts are on their way.
  if (answer.next === 'each') await key.save()
  else await key.release()
  return answer.next === 'poll' && key.state.mayHaveFailed
    ? withMends(own, answer, await services.records.progress(versionId))
    : answer
}

/** A function has 15 minutes, and the largest object that it moves by itself takes some three. */
const LONGEST_STEP_MS = 5 * 60_000

/**
 * Imports the event's own version of a key after all older ones, in the order in which S3 stored them, whoever heard of
 * them: first a late one with those that are loaded again behind it, then those that nobody has imported yet.
 */
const importInOrder = async ({
  services,
  key,
  own,
}: Pick<KeyWork, 'services' | 'key' | 'own'>): Promise<ImportAnswer> => {
  const { source } = own
  const until = (key.state.late ?? key.state.through)?.versionId
  const versions = await readVersions(services.s3, source, [source.versionId, until])
  const mark = versions.find(({ versionId }) => versionId === source.versionId)
  if (!mark) throw objectGone(source)
  if (mark !== versions.at(-1)) key.state.mayHaveFailed = true
  const endsAt = services.now().getTime() + LONGEST_STEP_MS
  const pauseInTime = (): void => {
    if (services.now().getTime() > endsAt) throw new Pause(again(JOB_WAIT_SECONDS))
  }
  const work = { services, key, own, versions, mark, pauseInTime }
  try {
    await importLate(work)
    return (await importNew(work)) ?? (await ownOutcome(work))
  } catch (error) {
    if (error instanceof Pause) return error.answer
    throw error
  }
}

/**
 * Imports the versions that nobody has imported yet, oldest first, up to the own one.
 *
 * The service runs the jobs of a table in the order in which it accepts them, so that the next version need not wait for
 * the end of a job; except of one that creates the table: it may fail, because another key was first. Resolves to
 * `undefined` when the own version was imported earlier.
 */
const importNew = async (work: KeyWork): Promise<ImportAnswer | undefined> => {
  const { key, services, versions, mark, pauseInTime } = work
  for (const version of versionsAfter(versions, key.state.through, mark)) {
    pauseInTime()
    const found = await progressOf(work, version)
    const end = found.isCreating ? await jobEnd(services.storage, found) : 'running'
    const before = end === 'tableExists' ? nextAttempt(found) : found
    const isPassed = before.isSkipped || hasJob(before)
    const accepted = isPassed ? undefined : await importOf(work, version, before)
    const { isCreating, jobId } = accepted ?? before
    const mayFail = isCreating && end !== 'success' && end !== 'error'
    // What is done through stays before it.
    if (!mayFail) key.state.through = version
    if (version === mark) return accepted && followJob(work.own, 'started', accepted)
    if (mayFail) throw afterJob(jobId)
  }
  return undefined
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
