import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { jobFailure } from '../../lib/storage/jobs/job-errors.ts'
import { branchOf, isFinal, type JobRecord } from '../../lib/storage/jobs/job-record.ts'
import { isRun, jobCancelled, type RunJob } from '../../lib/storage/jobs/job-store.ts'
import { startBehind } from '../../lib/storage/jobs/start-next.ts'
import { jobBody } from '../../lib/wire/job-body.ts'
import { runOfJob } from '../../lib/wire/run-body.ts'
import { integer, text, textList } from '../http/fields.ts'
import { searchedPage } from '../http/page.ts'
import { telling } from '../http/record-event.ts'
import { accepted } from '../http/reply.ts'
import { maySeeJob } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { Sender } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import { jobResource } from './job-resource.ts'
import { findJob, jobReply } from './submit-job.ts'

export const routes = routesOf('jobs')

/** `2026-07-16 10:20:30` in UTC, or an ISO 8601 time: as ISO 8601. */
const startTime = () =>
  text({ max: 40 })
    .transform((given, context) => {
      const isPlain = /^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?$/.test(given)
      const time = Date.parse(isPlain ? `${given.replace(' ', 'T')}${given.length > 10 ? 'Z' : ''}` : given)
      if (!Number.isNaN(time)) return new Date(time).toISOString()
      context.addIssue({
        code: 'custom',
        message: 'This value should be a time such as 2026-07-16 10:20:30.',
      })
      return z.NEVER
    })
    .optional()
    .meta({ type: 'string', example: '2026-07-16 10:20:30' })

const query = z.object({
  limit: integer({ min: 1, max: 1000 }).default(20),
  offset: integer().default(0),
  sinceId: integer().optional(),
  maxId: integer({ min: 1 }).optional(),
  runId: text().optional(),
  tableId: text().optional(),
  storage_job_status: textList().default([]),
  start_time_from: startTime(),
  start_time_to: startTime(),
  operationName: z.union([textList(), text().transform(name => [name])]).default([]),
})

/** Jobs of all branches, newest first; below a development branch, those that run in it. */
routes.get('/v2/storage/jobs', {
  summary: 'List jobs',
  query,
  replies: { 200: 'The jobs' },
  reply: z.array(jobBody),
  handle: async ({ query, caller, baseUrl, branchId, raw }, { jobs }) => {
    const {
      limit,
      offset,
      sinceId,
      maxId,
      runId,
      tableId,
      storage_job_status: statuses,
      start_time_from: from,
      start_time_to: to,
      operationName,
    } = query
    const isListed = (job: JobRecord): boolean => {
      const hasStatus = statuses.length === 0 || statuses.includes(job.status)
      const isOperation = operationName.length === 0 || operationName.includes(job.input.operationName)
      const isOfRun = runId === undefined || job.runId === runId
      if (!maySeeJob(caller, job)) return false
      if (branchId !== defaultBranchId && branchOf(job) !== branchId) return false
      return (
        startedWithin(job, from, to) &&
        hasStatus &&
        isOperation &&
        isOfRun &&
        (tableId === undefined || job.tableId === tableId)
      )
    }
    const show = (job: JobRecord) => jobResource(job, baseUrl)
    return searchedPage(jobs.list({ sinceId, maxId }), {
      limit,
      offset,
      isListed,
      show,
      address: raw.url,
    })
  },
})

/** A job that has not started is in no range. Both ends belong to it. */
const startedWithin = (job: JobRecord, from: string | undefined, to: string | undefined): boolean => {
  if (from === undefined && to === undefined) return true
  const startTime = job.status === 'waiting' ? null : job.startTime
  return startTime !== null && startTime >= (from ?? startTime) && startTime <= (to ?? startTime)
}

/**
 * Ends a job that waits, and asks the one that works for a begun job to stop before it makes anything visible. What comes too late changes
 * nothing: the job says how it ended.
 */
routes.post('/v2/storage/jobs/{jobId}/cancel', {
  summary: 'Cancel a job',
  reply: jobBody,
  replies: {
    202: 'The job. It ends at its next step, if it has begun',
    403: 'Another token started it',
    404: 'There is no such job',
    409: '`storage.jobs.ended`',
  },
  handle: async (request, services) => {
    const job = await findJob(request.params.jobId, request.caller, services)
    return jobReply(await cancelled(job, request, services), request, services, accepted)
  },
})

/** Error: `storage.jobs.ended`. Of one that was cancelled before nothing changes. */
export const cancelled = async (job: JobRecord, request: Sender, services: Services): Promise<JobRecord> => {
  const { jobs, now } = services
  const { caller } = request
  if (isFinal(job)) {
    if (job.status === 'error' && job.error.code === 'storage.jobs.cancelled') return job
    throw new UserError('storage.jobs.ended', `The job ${job.id} has ended: ${job.status}.`)
  }
  await jobs.wishEnd(job.id, caller.description, telling(request, services, wishEvent(job)))
  const current =
    job.status === 'waiting' ? await jobs.failWaiting(job, now(), cancellation(caller.description)) : job
  if (isFinal(current)) await startBehind(current, services)
  if (isFinal(current) || !isRun(current)) return current
  // Whoever comes to load after this is refused. What is loaded already shall have its state: the wish counts then.
  const asked = await jobs.get(current.id)
  if (asked?.status === 'processing' && asked.isLoading) return asked
  return stopRun(current, caller.description, services)
}

const cancellation = (by: string) => jobFailure(jobCancelled(by))

/** Ends a run whose end somebody has asked for. */
export const stopRun = async (job: RunJob, by: string, services: Services): Promise<JobRecord> => {
  await services.stopRun(job.id, jobCancelled(by))
  const ended = await services.jobs.fail(job, services.now(), cancellation(by))
  await startBehind(ended, services)
  return ended
}

const wishEvent = (job: JobRecord) => {
  if (isRun(job)) {
    const { componentId: component, configId: configurationId } = job.input
    const message = `The run ${runOfJob(job.id)} was cancelled`
    return { event: 'storage.runCancelled', component, configurationId, type: 'info' as const, message }
  }
  return {
    event: 'storage.jobCancelled',
    component: 'storage',
    type: 'info' as const,
    message: `The end of the job ${job.id} (${job.input.operationName}) was asked for`,
    objectId: String(job.id),
  }
}
