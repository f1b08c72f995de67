import { TransientError } from '../../lib/errors/errors.ts'
import { createExceptionId } from '../../lib/errors/exception-id.ts'
import type { MachineFailure } from '../../lib/errors/machine-failure.ts'
import { internalJobError } from '../../lib/storage/jobs/job-errors.ts'
import { isFinal, type JobRecord } from '../../lib/storage/jobs/job-record.ts'
import type { RunJobServices } from '../job/services.ts'

/**
 * Ends a job of which the machine has given up. What is decided with the end of its job was not done while the job is open, and cannot be done
 * once it has ended; of other work nobody knows. Resolves to the job as stored. What is thrown leaves the job open, for whoever
 * comes next.
 */
export const endGivenUp = async (
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
  const closed = await jobs.fail(job, now(), { error: internalJobError(exceptionId, doubtful) })
  // A load that is under way has its file, and says how it ends.
  if (!isFinal(closed))
    throw new TransientError('storage.tables.moved', `The job ${job.id} was changed while it was closed.`)
  return closed
}
