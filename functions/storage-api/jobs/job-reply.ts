import { branchOf, type JobRecord } from '../../lib/storage/jobs/job-record.ts'
import { prefersNoWait } from '../../lib/storage-client/prefer-header.ts'
import type { RouteRequest } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import { awaitJob } from './await-job.ts'
import { jobResource } from './job-resource.ts'

/** One load takes so many small files of a table, in so many seconds. */
const FILES_IN_LOAD = 500
const SECONDS_OF_LOAD = 20
/**
 * The reply with a job. Of an unfinished one it waits for up to about a second, in case it finishes, unless the request
 * says `Prefer: wait=0`. A job that waits behind others says in `Retry-After` when it is worth asking again.
 */
export const jobReply = async (
  job: JobRecord,
  { raw, baseUrl }: Pick<RouteRequest<unknown, unknown, unknown>, 'raw' | 'baseUrl'>,
  services: Pick<Services, 'jobs' | 'jobWait' | 'inBranch'>,
  reply: (body: unknown) => Response,
): Promise<Response> => {
  const { jobs, jobWait } = services
  const current = prefersNoWait(raw.headers) ? job : await awaitJob(job, jobs.get, jobWait)
  const response = reply(jobResource(current, baseUrl))
  const seconds = await secondsToWait(current, services)
  if (seconds > 0) response.headers.set('Retry-After', String(seconds))
  return response
}

const secondsToWait = async (job: JobRecord, services: Pick<Services, 'inBranch'>): Promise<number> => {
  if (job.status !== 'waiting' || job.queueTableId === null) return 0
  const { queue } = services.inBranch(branchOf(job))
  const before = await queue.estimateBefore(job.queueTableId, job.id)
  return Math.ceil((before / FILES_IN_LOAD) * SECONDS_OF_LOAD)
}
