import { foreignCode } from '../../lib/errors/codes.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { accepted } from '../http/reply.ts'
import type { Services } from '../services/services.ts'
import { awaitJob } from './await-job.ts'
import { jobResource } from './job-resource.ts'
import { acceptJob, type NewJob, type Submitter } from './submit-job.ts'

/** The gateway gives up after 30 s. */
const LONGEST_WAIT_MS = 25_000

/**
 * Does a job within one request, for the older routes without jobs. Answers with the job's results, or fails like the
 * job. If the job takes longer than a request may, the answer is 202, which clients poll.
 */
export const doJob = async (submitter: Submitter, services: Services, newJob: NewJob): Promise<unknown> => {
  const { jobs, jobWait } = services
  const job = await awaitJob(await acceptJob(submitter, services, newJob), jobs.get, {
    ...jobWait,
    limitMs: LONGEST_WAIT_MS,
  })
  if (job.status === 'success') return job.results
  if (job.status !== 'error') return accepted(jobResource(job, submitter.baseUrl))
  const { code, message, contextParams } = job.error
  if (code === 'internalError') throw new Error(`The job ${job.id} was given up`)
  throw new UserError(foreignCode(code), message, { params: contextParams })
}
