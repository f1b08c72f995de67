import * as z from 'zod/mini'
import { executionName } from '../lib/cloud/execution-name.ts'
import type { StepEvent } from '../lib/drive/step.ts'
import { UserError } from '../lib/errors/errors.ts'
import type { MachineFailure } from '../lib/errors/machine-failure.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import { type LandedObject, landedObject } from '../lib/landed-object.ts'
import { patientWait } from '../lib/patient-wait.ts'
import { TABLE_EXISTS_CODE } from '../lib/storage-client/table-exists-code.ts'
import { waitSecondsAt } from '../lib/storage-client/wait-seconds-at.ts'
import type { StartImportDependencies } from './dependencies.ts'
import { giveUp } from './give-up.ts'
import { again, followJob, type ImportAnswer, type JobAnswer } from './import-answer.ts'
import { importInOrder } from './import-in-order.ts'
import { jobEnd, type OwnVersion, targetOf } from './import-version.ts'
import { holdKey, type KeyLease, type Progress } from './key-records.ts'
import { whyIgnored } from './landing-target.ts'
import { describeSource, objectKeyId, objectVersionId } from './object-version.ts'

const partNumber = z.int().check(z.positive())

/** `versionId`: of an older version than the event's own, which is imported first. */
export const partsToMove = z.object({
  from: partNumber,
  to: partNumber,
  versionId: z.nullish(z.string()),
})

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

  const keyId = objectKeyId(landed)
  const lease = await records.takeLease(keyId, { owner: execution, versionId })
  if (lease.outcome === 'held') return whileHeld(dependencies, own, lease.by)

  const key = holdKey(records.leaseOf(keyId), { owner: execution, state: lease.content })
  const answer = await importInOrder({ dependencies, key, own })
  const isRepeated = answer.next === 'poll' && answer.output.outcome === 'alreadyStarted'
  if (isRepeated || lease.deadOwner !== undefined) key.change({ mayHaveFailed: true })
  // Nobody else may begin while parts are on their way.
  if (answer.next === 'each') await key.save()
  else await key.release()
  return answer.next === 'poll' && key.state.mayHaveFailed
    ? withMends(own, answer, await records.progress(versionId))
    : answer
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
  const end = follow && (await jobEnd(dependencies.storage, follow.jobId))
  return follow && (end === 'running' || end === 'success')
    ? withMends(own, follow, progress)
    : again(LEASE_WAIT_SECONDS, executionName(by.owner))
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
