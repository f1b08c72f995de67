import { TransientError, UserError } from '../../lib/errors/errors.ts'
import { createExceptionId } from '../../lib/errors/exception-id.ts'
import type { MachineFailure } from '../../lib/errors/machine-failure.ts'
import { findCreated } from '../../lib/storage/db/create-once.ts'
import { internalJobError } from '../../lib/storage/jobs/internal-job-error.ts'
import {
  branchOf,
  isFinal,
  type JobRecord,
  noMetrics,
  type ProcessingJob,
  type WaitingJob,
} from '../../lib/storage/jobs/job-record.ts'
import type { RunJobServices } from '../job/services.ts'
import { jobFailure } from '../job/tell-job-end.ts'
import { snapshotOf } from './change-table.ts'
import { exportOf, filesOfExport } from './export-table.ts'
import { runOperation } from './run-operation.ts'
import { finishedLoad } from './shared-load.ts'

/**
 * Ends a job of which the machine has given up. Its process may have died right after the write that makes the work visible: then the job
 * succeeds, with the results of a repeat. Else it fails. Resolves to the job as stored.
 *
 * What is thrown leaves the job open, for whoever comes next.
 */
export const endGivenUp = async (
  given: WaitingJob | ProcessingJob,
  { Error: errorName }: MachineFailure,
  services: RunJobServices,
): Promise<JobRecord> => {
  const { jobs, log, now } = services
  // A function of a stopped execution may still be at work: from here on it makes nothing visible.
  await jobs.giveUp(given.id, now())
  // It may have begun, or ended, since the job was read.
  const job = (await jobs.get(given.id)) ?? given
  if (isFinal(job)) return job
  await outdateHead(job, services)
  const mark = await markOf(job, services)
  if (mark === 'there') {
    log.warn('job given up after its work was done', { jobId: job.id, errorName })
    return endDone(job, services)
  }
  const exceptionId = createExceptionId()
  // The error itself is in the log of the attempt that threw it.
  log.error('job given up', { jobId: job.id, exceptionId, errorName })
  const doubtful = mark === 'unknown' ? job.input : undefined
  const closed = await jobs.fail(job, now(), { error: internalJobError(exceptionId, doubtful) })
  // A load that is under way has its file, and says how it ends.
  if (!isFinal(closed)) throw notOver(closed)
  return closed
}

const MAX_ATTEMPTS = 10

/**
 * A function that has looked for the end of its job may be about to move a head that it has read. Gives the table the name that it has: such
 * a head has changed then, and is not replaced. What was moved before is found by its mark.
 */
const outdateHead = async (job: JobRecord, { tables }: RunJobServices): Promise<void> => {
  if (job.status === 'waiting' || job.queueTableId === null) return
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const table = await tables.getHead(job.queueTableId)
    // A table that is not the branch's own becomes that before its function looks for the end of the job.
    if (!table || table.alias || branchOf(table) !== branchOf(job)) return
    if (await tables.rename(table, table.displayName)) return
  }
  throw notOver(job)
}

/** Runs the operation once more, which finds its work done. */
const endDone = async (job: JobRecord, services: RunJobServices): Promise<JobRecord> => {
  const { jobs, now } = services
  const started = job.status === 'waiting' ? await jobs.begin(job, now()) : job
  if ('heldBy' in started) throw notOver(job)
  if (started.status !== 'processing') return started
  try {
    const outcome = await runOperation(started, writingNothingNew(started, services), { isRepeated: true })
    if (!('results' in outcome)) throw notOver(started)
    const { results, metrics = noMetrics } = outcome
    return await jobs.succeed(started, now(), { results, metrics })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return jobs.fail(started, now(), jobFailure(error))
  }
}

/** Operations that go on after their mark, under the lease of the table. */
const GO_ON: ReadonlySet<string> = new Set(['tableSwap', 'tableDefinitionUpdate'])

/** Another one may end the job meanwhile, and the table go on: then the work must not be done a second time. */
const writingNothingNew = (job: ProcessingJob, services: RunJobServices): RunJobServices => {
  if (GO_ON.has(job.input.operationName)) return services
  const refuse = async () => Promise.reject(notOver(job))
  return { ...services, tables: { ...services.tables, insert: refuse, replace: refuse } }
}

const notOver = ({ id }: JobRecord): TransientError =>
  new TransientError('storage.tables.moved', `The job ${id} was changed while it was closed.`)

/** Whether the mark of a job's work is there. `unknown`: work of this kind leaves none. */
const markOf = async (job: JobRecord, services: RunJobServices): Promise<'there' | 'missing' | 'unknown'> => {
  if (job.status === 'waiting' && job.input.operationName !== 'tableImport') return 'missing'
  const isThere = await leftMark(job, services)
  if (isThere === undefined) return 'unknown'
  return isThere ? 'there' : 'missing'
}

const leftMark = async (job: JobRecord, services: RunJobServices): Promise<boolean | undefined> => {
  const { input } = job
  const { tables, branches, workspaces } = services
  const isLastJob = async (tableId: string) => (await tables.getHead(tableId))?.lastJob?.id === job.id
  switch (input.operationName) {
    case 'tableImport': {
      const table = await tables.getHead(input.tableId)
      return table !== undefined && (await finishedLoad(job, table, services)) !== undefined
    }
    case 'tableCreate':
    case 'tableDefinitionCreate':
      return (await tables.getHead(`${input.bucketId}.${input.name}`))?.internalId === job.id
    case 'tableColumnAdd':
    case 'tableColumnDelete':
      return (await tables.getAlias(input.tableId))?.lastJobId === job.id || isLastJob(input.tableId)
    case 'tableColumnDefinitionUpdate':
    case 'tablePrimaryKeyAdd':
    case 'tablePrimaryKeyDelete':
    case 'tableRowsDelete':
    case 'tableRestore':
      return isLastJob(input.tableId)
    case 'tableSwap':
      return isLastJob([input.tableId, input.targetTableId].toSorted()[0] ?? '')
    case 'tableExport':
      return (
        (await findCreated(exportOf(job), { ...services, records: filesOfExport(input, services) })) !==
        undefined
      )
    case 'tableSnapshotCreate':
      return (await findCreated(snapshotOf(job), { ...services, records: services.snapshots })) !== undefined
    case 'devBranchCreate':
      return (await branches.get(job.id)) !== undefined
    case 'workspaceCreate':
      return (await workspaces.get(job.id)) !== undefined
    // The next are marked by their last write, or by their first of several.
    case 'tableDefinitionUpdate':
      return (await isLastJob(input.tableId)) || undefined
    default:
      return undefined
  }
}
