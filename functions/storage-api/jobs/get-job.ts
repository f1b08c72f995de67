import { UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { isFinal } from '../../lib/storage/jobs/job-record.ts'
import { reviveJob } from '../../lib/storage/jobs/revive-job.ts'
import { jobBody } from '../../lib/wire/job-body.ts'
import { ok } from '../http/reply.ts'
import { accessDenied, maySeeJob } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { jobReply } from './job-reply.ts'
import { jobResource } from './job-resource.ts'

/** One job. If it is unfinished, the reply waits for up to about a second, in case it finishes. */
export const getJob = defineRoute({
  method: 'get',
  path: '/v2/storage/jobs/{jobId}',
  summary: 'Job detail',
  tag: 'jobs',
  reply: jobBody,
  replies: { 200: 'The job', 403: 'Another token started it', 404: 'There is no such job' },
  handle: async (request, services) => {
    const { params, caller, baseUrl } = request
    const id = parseId(params.jobId)
    const job = id === undefined ? undefined : await services.jobs.get(id)
    if (!job) throw new UserError('storage.jobs.notFound', `Job ${params.jobId.slice(0, 20)} not found`)
    if (!maySeeJob(caller, job)) throw accessDenied()
    if (isFinal(job)) return ok(jobResource(job, baseUrl))
    const revived = await reviveJob(job, services).catch(error => {
      // Answer the poll anyway. The next one tries again.
      services.log.error('job not revived', { jobId: job.id, error })
      return job
    })
    return jobReply(revived, request, services, ok)
  },
})
