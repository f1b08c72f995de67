import { type AskedWait, type EndsOthers, executionOfJob } from '../lib/asked-wait.ts'
import type { LoadPlace } from '../lib/distributed/load-place.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import { createExceptionId } from '../lib/errors/exception-id.ts'
import { describeFailure, type Failure, type MachineFailure } from '../lib/errors/machine-failure.ts'
import { defaultBranchId } from '../lib/storage/db/branch-id.ts'
import type { FileRecord } from '../lib/storage/files/file-store.ts'
import { internalJobError, jobFailure } from '../lib/storage/jobs/job-errors.ts'
import { kindOf } from '../lib/storage/jobs/job-kinds.ts'
import {
  branchOf,
  type FinalJob,
  isDecided,
  isFinal,
  type JobRecord,
  noMetrics,
  type ProcessingJob,
} from '../lib/storage/jobs/job-record.ts'
import { isRun, jobCancelled } from '../lib/storage/jobs/job-store.ts'
import { startBehind } from '../lib/storage/jobs/start-next.ts'
import { idsOf } from '../lib/storage/tables/aliases/alias-record.ts'
import { beginJob } from './begin-job.ts'
import { endDecided } from './end-decided.ts'
import type { RunJobEvent } from './event.ts'
import { correlationIdOf, logJobEnd, logJobStart } from './job/log-job.ts'
import { requireRights } from './job/require-rights.ts'
import type { RunJobServices } from './job/services.ts'
import type { Outcome } from './operations/outcome.ts'
import { OutgrownLoad } from './operations/outgrown-load.ts'
import { runOperation } from './operations/run-operation.ts'

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
    await enterBranch(started, services)
    await refuseOther(started, services)
    const run = (given: RunJobServices) => runOperation(started, given, behind)
    const outcome = changesOneTable(started)
      ? await untilCancelled(jobId, services, run)
      : await run(services)
    if ('parts' in outcome) return { status: 'export', ...outcome, correlationId }
    return finishAndLog(await succeed(started, outcome, services), services)
  } catch (error) {
    if (error instanceof OutgrownLoad)
      return error.waitSeconds === undefined
        ? { status: 'distribute', load: error.load }
        : { status: 'blocked', waitSeconds: error.waitSeconds }
    if (!(error instanceof UserError)) throw error
    return finishAndLog(await jobs.fail(started, now(), jobFailure(error)), services)
  }
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

/**
 * Before the work of a job begins: what it is going to change becomes its branch's own.
 *
 * Error: 404 `notFound` when the branch was deleted while the job waited.
 */
const enterBranch = async (
  job: ProcessingJob,
  { branches, own }: Pick<RunJobServices, 'branches' | 'own'>,
): Promise<void> => {
  const branchId = branchOf(job)
  if (branchId === defaultBranchId) return
  if (!(await branches.get(branchId)))
    throw new UserError('notFound', `Branch id:"${branchId}" was not found.`)
  const { tableId, bucketId } = kindOf(job.input).owns?.(job.input) ?? {}
  if (tableId !== undefined) await own.table(tableId)
  if (bucketId !== undefined) await own.bucket(bucketId)
}

/** Error: 404 `storage.tables.notFound` when the table that the job was accepted for is gone, and another one has its name. */
const refuseOther = async (
  { incarnation, tableId }: ProcessingJob,
  { tables }: Pick<RunJobServices, 'tables'>,
): Promise<void> => {
  const table = incarnation === undefined || tableId === null ? undefined : await tables.getHead(tableId)
  if (!table || idsOf(table).some(id => id === incarnation)) return
  throw new UserError(
    'storage.tables.notFound',
    `The table "${tableId}" that the job was accepted for was deleted, and another one has its name. Send the request again if that one is meant.`,
  )
}

/** What changes more than one thing is not left half done: when it is cancelled, it goes on to its end. */
const changesOneTable = ({ queueTableId, tableId, input }: ProcessingJob): boolean =>
  queueTableId !== null && (tableId !== null || input.operationName.endsWith('Create'))

/** One read of an item each. */
const LOOK_EVERY_MS = 2_000

/** Does the work of a job, and interrupts its table engine when somebody has cancelled the job: then it throws that reason. */
const untilCancelled = async <Result>(
  jobId: number,
  services: RunJobServices,
  work: (services: RunJobServices) => Promise<Result>,
): Promise<Result> => {
  const cancelled = new AbortController()
  const look = (): void =>
    void services.jobs.refuseCancelled(jobId).catch((error: unknown) => {
      // Otherwise nobody could be asked, or the job is given up, which is looked at before anything becomes visible.
      if (error instanceof UserError) cancelled.abort(error)
    })
  const timer = setInterval(look, LOOK_EVERY_MS)
  try {
    return await work({
      ...services,
      tableEngine: async () => (await services.tableEngine()).until(cancelled.signal),
    })
  } finally {
    clearInterval(timer)
  }
}
