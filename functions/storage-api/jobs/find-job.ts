import { UserError } from '../../lib/errors/errors.ts'
import { storedUnder } from '../../lib/storage/db/ids.ts'
import type { JobRecord } from '../../lib/storage/jobs/job-record.ts'
import { accessDenied, maySeeJob } from '../http/rights.ts'
import type { Caller, Services } from '../services/services.ts'

/** The job in the path. Errors: 404 `storage.jobs.notFound`, 403 `accessDenied` for that of another token. */
export const findJob = async (
  jobId: string,
  caller: Caller,
  { jobs }: Services,
  notFound = jobNotFound,
): Promise<JobRecord> => {
  const job = await storedUnder(jobId, jobs.get)
  if (!job) throw notFound(jobId)
  if (!maySeeJob(caller, job)) throw accessDenied()
  return job
}

const jobNotFound = (jobId: string): UserError =>
  new UserError('storage.jobs.notFound', `Job ${jobId.slice(0, 20)} not found`)
