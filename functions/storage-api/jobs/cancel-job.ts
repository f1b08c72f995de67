import { UserError } from '../../lib/errors/errors.ts'
import { createExceptionId } from '../../lib/errors/exception-id.ts'
import { branchOf, isFinal, type JobRecord } from '../../lib/storage/jobs/job-record.ts'
import { jobCancelled } from '../../lib/storage/jobs/job-store.ts'
import { startNext } from '../../lib/storage/jobs/start-next.ts'
import { jobBody } from '../../lib/wire/job-body.ts'
import { recordEvent } from '../http/record-event.ts'
import { accepted } from '../http/reply.ts'
import { routesOf } from '../http/route.ts'
import type { Sender } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import { findJob } from './find-job.ts'
import { jobReply } from './job-reply.ts'

export const routes = routesOf('jobs')

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
  handle: async (request, services) =>
    jobReply(await cancelled(request.params.jobId, request, services), request, services, accepted),
})

/** Errors: `storage.jobs.notFound`, `accessDenied`, `storage.jobs.ended`. Of one that was cancelled before nothing changes. */
export const cancelled = async (jobId: string, request: Sender, services: Services): Promise<JobRecord> => {
  const { jobs, now } = services
  const { caller } = request
  const job = await findJob(jobId, caller, services)
  if (isFinal(job)) {
    if (job.status === 'error' && job.error.code === 'storage.jobs.cancelled') return job
    throw new UserError('storage.jobs.ended', `The job ${job.id} has ended: ${job.status}.`)
  }
  const reason = jobCancelled(caller.description)
  if (await jobs.wishEnd(job.id, caller.description, now()))
    await recordEvent(request, services, {
      event: 'storage.jobCancelled',
      component: 'storage',
      type: 'info',
      message: `The end of the job ${job.id} (${job.input.operationName}) was asked for`,
      objectId: String(job.id),
    })
  // A load may take along those that wait behind it: it looks for itself.
  const current =
    job.status === 'waiting' && job.input.operationName !== 'tableImport'
      ? await endWaiting(job, reason, services)
      : job
  if (!isFinal(current) && job.input.operationName === 'configurationRun')
    await services.extractionRuns.stop(`run-${job.id}`, reason)
  return current
}

const endWaiting = async (
  job: JobRecord,
  { code, message }: UserError,
  services: Services,
): Promise<JobRecord> => {
  const { jobs, now, log } = services
  const error = { code, message, exceptionId: createExceptionId(), contextParams: {} }
  const ended = await jobs.failWaiting(job, now(), error)
  if (job.queueTableId !== null)
    await startNext(job.queueTableId, { ...services, ...services.inBranch(branchOf(job)) }).catch(cause =>
      // The clock finds it, too.
      log.error('next job not started', { jobId: job.id, error: cause }),
    )
  return ended
}
