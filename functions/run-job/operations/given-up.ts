import { TransientError, UserError } from '../../lib/errors/errors.ts'
import { createExceptionId } from '../../lib/errors/exception-id.ts'
import type { MachineFailure } from '../../lib/errors/machine-failure.ts'
import { findCreated } from '../../lib/storage/db/create-once.ts'
import { internalJobError } from '../../lib/storage/jobs/internal-job-error.ts'
import {
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

/**
 * Ends a job of which the machine has given up. What is decided with the end of its job was not done while the job is open, and cannot be done
 * once it has ended. Of other work the process may have died right after the write that makes it visible: then the job succeeds, with
 * the results of a repeat. Else it fails. Resolves to the job as stored.
 *
 * What is thrown leaves the job open, for whoever comes next.
 */
export const endGivenUp = async (
  given: WaitingJob | ProcessingJob,
  { Error: errorName }: MachineFailure,
  services: RunJobServices,
): Promise<JobRecord> => {
  const { jobs, log, now } = services
  // It may have begun, or ended, since the job was read.
  const job = (await jobs.get(given.id)) ?? given
  if (isFinal(job)) return job
  const mark = job.status === 'waiting' ? 'missing' : await markOf(job, services)
  if (job.status === 'processing' && mark === 'there') {
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

/** Runs the operation once more, which finds its work done. */
const endDone = async (job: ProcessingJob, services: RunJobServices): Promise<JobRecord> => {
  const { jobs, now } = services
  try {
    const outcome = await runOperation(job, services, { isRepeated: true })
    if (!('results' in outcome)) throw notOver(job)
    const { results, metrics = noMetrics } = outcome
    const end = await jobs.succeed(job, now(), { results, metrics })
    if (typeof end === 'string') throw notOver(job)
    return end.job
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return jobs.fail(job, now(), jobFailure(error))
  }
}

const notOver = ({ id }: JobRecord): TransientError =>
  new TransientError('storage.tables.moved', `The job ${id} was changed while it was closed.`)

/** Whether the mark of a job's work is there. `unknown`: work of this kind leaves none. */
const markOf = async (
  job: ProcessingJob,
  services: RunJobServices,
): Promise<'there' | 'missing' | 'unknown'> => {
  const isThere = await leftMark(job, services)
  if (isThere === undefined) return 'unknown'
  return isThere ? 'there' : 'missing'
}

const leftMark = async (job: ProcessingJob, services: RunJobServices): Promise<boolean | undefined> => {
  const { input } = job
  const { branches, workspaces } = services
  switch (input.operationName) {
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
    default:
      return undefined
  }
}
