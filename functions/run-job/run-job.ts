import { z } from 'zod'
import { type AskedWait, type EndsOthers, executionOfJob } from '../lib/asked-wait.ts'
import type { LoadDocuments } from '../lib/distributed/load-documents.ts'
import type { LoadPlace } from '../lib/distributed/load-place.ts'
import { type LoadStage, nextStage, piecesState } from '../lib/distributed/load-stages.ts'
import type { Answer, StepEvent } from '../lib/drive/step.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import { createExceptionId } from '../lib/errors/exception-id.ts'
import { describeFailure, type Failure, type MachineFailure } from '../lib/errors/machine-failure.ts'
import { parseEvent } from '../lib/errors/parse-event.ts'
import { patientWait } from '../lib/patient-wait.ts'
import type { FileRecord } from '../lib/storage/files/file-store.ts'
import { internalJobError, jobFailure } from '../lib/storage/jobs/job-errors.ts'
import {
  branchOf,
  type FinalJob,
  isDecided,
  isFinal,
  type JobRecord,
  noMetrics,
  type ProcessingJob,
  type WaitingJob,
} from '../lib/storage/jobs/job-record.ts'
import { isRun, jobCancelled, queuesOf } from '../lib/storage/jobs/job-store.ts'
import { startBehind } from '../lib/storage/jobs/start-next.ts'
import { correlationIdOf, logJobEnd, logJobStart } from './job/log-job.ts'
import { requireRights } from './job/require-rights.ts'
import type { RunJobServices } from './job/services.ts'
import { endDecided, mostBehind, type Outcome, runOperation } from './operations/run-operation.ts'
import { jobOfInput, type Piece, pieceOf } from './pieces/piece.ts'

/** Input of the job machine. `failure`: its execution before this one is gone, and the job is only closed. */
const jobInput = jobOfInput.extend({
  failure: z.object({ Error: z.string(), Cause: z.string().optional() }).optional(),
})

interface StepServices {
  run: (event: RunJobEvent) => Promise<RunJobResult>
  documents: Pick<LoadDocuments, 'read'>
  doPiece: (piece: Piece) => Promise<void>
}

/**
 * One step of a job: does it, waits for others of its table, or has the pieces done of a load or an export that outgrows one
 * function. When a step has failed for good the job is closed: as `error`, unless its work is done.
 */
export const jobStep = async (
  { input, state, part, failure: failed }: StepEvent,
  { run, documents, doPiece }: StepServices,
): Promise<Answer | undefined> => {
  const { jobId, failure: gone } = parseEvent(jobInput, input)
  if (failed) {
    const closed = await run({ jobId, failure: failed })
    return closed.status === 'done' && closed.failure ? { next: 'failed', failure: closed.failure } : DONE
  }
  if (part !== undefined) {
    await doPiece(pieceOf({ input, state, part }))
    return undefined
  }
  const pieces = parseEvent(piecesState, state)
  if (pieces && 'load' in pieces) {
    const next = await stageOf(pieces.load, pieces.stage, documents)
    if (next) return next
  }

  const result = await run({ jobId, failure: gone })
  switch (result.status) {
    case 'done':
      return { ...DONE, alsoEnded: result.alsoEnded }
    case 'blocked':
      return { next: 'again', waitSeconds: result.waitSeconds, waitsFor: result.waitsFor }
    case 'distribute':
      return (await stageOf(result.load, undefined, documents)) ?? { next: 'again', waitSeconds: 0 }
    case 'export':
      return {
        next: 'each',
        parts: result.parts,
        state: { exports: true, correlationId: result.correlationId },
      }
  }
}

const DONE = { next: 'done' as const, output: {} }

const stageOf = async (
  load: LoadPlace,
  after: LoadStage | undefined,
  documents: Pick<LoadDocuments, 'read'>,
): Promise<Answer | undefined> => {
  const next = await nextStage(load, after, documents)
  return next && { next: 'each', parts: next.parts, state: { load, stage: next.stage } }
}

/** `failure`: the step before failed for good, or the execution before is gone: the job is only closed. */
export interface RunJobEvent {
  jobId: number
  failure?: MachineFailure | undefined
}

/** `failure`: for which the job was closed. `wasDone`: it was to be closed, and its work was done. */
type Done = { status: 'done'; failure?: Failure; wasDone?: true } & EndsOthers

/** `blocked`: an earlier job of the same table, or the work itself, is under way elsewhere; come back in `waitSeconds`. */
export type RunJobResult =
  | Done
  | ({ status: 'blocked' } & AskedWait)
  /** The machine has to stage the rows of this load; then the job runs again. */
  | { status: 'distribute'; load: LoadPlace }
  /** The machine has to do these parts of an export; then the job runs again. */
  | { status: 'export'; parts: number[]; correlationId: string }

/**
 * Does one job, or says that it has to wait. May be repeated at any time, also while it runs: the work of a job
 * happens once.
 *
 * A `UserError` of the work becomes the job's result. Everything else is thrown, and the machine retries. When the
 * machine gives up it calls with `failure`. Then a job whose work is done succeeds, and any other becomes an error that does not reveal the
 * cause.
 */
export const runJob = async (
  { jobId, failure }: RunJobEvent,
  allServices: RunJobServices,
): Promise<RunJobResult> => {
  const job = await allServices.jobs.get(jobId)
  if (!job) throw new Error(`There is no job ${jobId}`)
  const ofBranch = { ...allServices, ...allServices.inBranch(branchOf(job)) }
  const services = { ...ofBranch, files: readingOnce(ofBranch.files) }
  const { jobs, now } = services
  const correlationId = correlationIdOf(job)
  services.log.appendKeys({ correlationId })

  if (failure) return close(job, failure, services)
  // A run that died may have died of a file that it took along: the next one works alone.
  const begun = job.status === 'waiting' ? await beginJob(job, services) : { job, behind: [] }
  if ('waitSeconds' in begun) return begun
  const { job: started, behind } = begun
  if (isFinal(started)) return finish(started, services)
  if (isDecided(started)) return finishAndLog(started, services)
  // A job that waits for something comes back as it was started.
  if (job.status === 'waiting') logJobStart(started, services)
  try {
    if (job.status === 'waiting') {
      if (started.cancelledBy !== undefined) throw jobCancelled(started.cancelledBy)
      await requireRights(started, services)
    }
    const outcome = await runOperation(started, services, behind)
    if ('parts' in outcome) return { status: 'export', ...outcome, correlationId }
    if ('load' in outcome) return { status: 'distribute', ...outcome }
    if ('waitSeconds' in outcome) return { status: 'blocked', ...outcome }
    return finishAndLog(await succeed(started, outcome, services), services)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return finishAndLog(await jobs.fail(started, now(), jobFailure(error)), services)
  }
}

/** `behind`: those behind it in its queue, as many as its load may take along. */
type Begun = { job: Exclude<JobRecord, WaitingJob>; behind: readonly number[] }
type Blocked = { status: 'blocked'; waitSeconds: number }

const MAX_WAIT_SECONDS = 10
/** A job that has waited for ten times as long waits for one second more. */
const PATIENCE_SECONDS = 10

/**
 * Begins a job when it is in front of the queues of its tables and nobody works on them. One in front whose work is decided is ended.
 * Resolves to the job as it is when it does not wait any more.
 */
const beginJob = async (job: WaitingJob, services: RunJobServices): Promise<Begun | Blocked> => {
  const { jobs, queue, now } = services
  const behind: number[] = []
  let ahead: number | undefined
  for (const tableId of queuesOf(job)) {
    const [first = job.id, ...others] = await queue.front(tableId, mostBehind(job))
    if (first < job.id) ahead ??= first
    behind.push(...others)
  }
  const begun = ahead === undefined ? await jobs.begin(job, now()) : { heldBy: ahead }
  if ('id' in begun && begun.status !== 'waiting') return { job: begun, behind }
  const holder = 'heldBy' in begun ? await jobs.get(begun.heldBy) : undefined
  if (!holder || !isDecided(holder)) return { status: 'blocked', waitSeconds: waitSeconds(job, now()) }
  await endDecided(holder, services)
  return beginJob(job, services)
}

const waitSeconds = (job: JobRecord, now: Date): number => {
  const ageSeconds = (now.getTime() - Date.parse(job.createdTime)) / 1000
  const wanted = Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(ageSeconds / PATIENCE_SECONDS)))
  return patientWait(wanted, ageSeconds)
}

/** A name that changes, or snapshots that expire, at the same moment. */
const MAX_DECISIONS = 10

/** Ends the job together with what makes its work visible; one that has something left to do is decided with it. */
const succeed = async (
  job: ProcessingJob,
  { results, metrics = noMetrics, decide = async () => [], rest }: Outcome,
  { jobs, files, now }: RunJobServices,
): Promise<FinalJob | ProcessingJob> => {
  for (let attempt = 0; attempt < MAX_DECISIONS; attempt++) {
    const writes = await decide(attempt > 0)
    if (!writes) continue
    const outcome = { results: typeof results === 'function' ? results() : results, metrics }
    const end = rest
      ? await jobs.decide(job, { ...outcome, rest }, writes)
      : await jobs.succeed(job, { at: now(), outcome }, { writes, findFile: files.getReadable })
    if (end === 'cancelled') await jobs.refuseCancelled(job.id)
    if (typeof end === 'string') continue
    return end
  }
  throw new TransientError('storage.tables.moved', `What the job ${job.id} changes is changed by others.`)
}

/** The rights of a job and its load need the same file. */
const readingOnce = (files: RunJobServices['files']): RunJobServices['files'] => {
  const known = new Map<number, FileRecord>()
  return {
    ...files,
    getReadable: async id => {
      const file = known.get(id) ?? (await files.getReadable(id))
      if (file) known.set(id, file)
      return file
    },
  }
}

const finish = async (
  job: JobRecord,
  services: RunJobServices,
  alongside: readonly number[] = [],
): Promise<Done> => {
  await startBehind(job, services)
  return { status: 'done', ...(alongside.length > 0 && { alsoEnded: alongside.map(executionOfJob) }) }
}

const finishAndLog = async (job: JobRecord, services: RunJobServices): Promise<Done> => {
  const { ended, alongside } = isDecided(job)
    ? await endDecided(job, services)
    : { ended: job, alongside: [] }
  const result = await finish(ended, services, alongside)
  if (isFinal(ended)) logJobEnd(ended, services)
  return result
}

const close = async (job: JobRecord, failure: MachineFailure, services: RunJobServices): Promise<Done> => {
  const closed = isFinal(job) ? job : await endGivenUp(job, failure, services)
  const done = await (isFinal(job) ? finish(job, services) : finishAndLog(closed, services))
  return closed.status === 'error'
    ? { ...done, failure: describeFailure(failure) }
    : { ...done, wasDone: true }
}

/**
 * Ends a job of which the machine has given up, unless its work is decided. What is decided with the end of its job was not done while the job is
 * open, and cannot be done once it has ended; of other work nobody knows. Resolves to the job as stored. What is thrown leaves the job open, for whoever
 * comes next.
 */
const endGivenUp = async (
  given: JobRecord,
  { Error: errorName }: MachineFailure,
  { jobs, log, now }: RunJobServices,
): Promise<JobRecord> => {
  // It may have begun since the job was read.
  const job = (await jobs.get(given.id)) ?? given
  const exceptionId = createExceptionId()
  // The error itself is in the log of the attempt that threw it.
  log.error('job given up', { jobId: job.id, exceptionId, errorName })
  const doubtful = job.status === 'processing' ? job.input : undefined
  // Whoever cancels a run stops its execution first.
  const failure =
    isRun(job) && job.cancelledBy !== undefined
      ? jobFailure(jobCancelled(job.cancelledBy))
      : { error: internalJobError(exceptionId, doubtful) }
  const closed = await jobs.fail(job, now(), failure)
  // A load that is under way has its file, and says how it ends.
  if (!isFinal(closed) && !isDecided(closed))
    throw new TransientError('storage.tables.moved', `The job ${job.id} was changed while it was closed.`)
  return closed
}
