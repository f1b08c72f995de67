import { UserError } from '../../lib/errors/errors.ts'
import { jobCancelled } from '../../lib/storage/jobs/job-store.ts'
import { runBody } from '../../lib/wire/run-body.ts'
import { recordEvent } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import type { Sender } from '../http/route-definition.ts'
import type { Services } from '../services/services.ts'
import { findRun } from './read-runs.ts'

export const routes = routesOf('runs')

/** Stops a run at its next page. A table that is being loaded is loaded whole; no other one is, and no state is saved. */
routes.post('/v2/storage/runs/{runId}/cancel', {
  summary: 'Cancel a run',
  reply: runBody,
  replies: {
    202: 'The run, which has ended',
    403: 'The token may not use the component',
    404: 'There is no such run',
    409: '`storage.jobs.ended`',
  },
  handle: async (request, services) => cancelledRun(request.params.runId, request, services),
})

/** Errors: `storage.runs.notFound`, `accessDenied`, `storage.jobs.ended`. Of one that was cancelled before nothing changes. */
export const cancelledRun = async (runId: string, request: Sender, services: Services) => {
  const { caller } = request
  const { extractionRuns } = services
  const run = await findRun(runId, caller, extractionRuns)
  if (run.status === 'processing') await extractionRuns.stop(run.id, jobCancelled(caller.description))
  const ended = await findRun(runId, caller, extractionRuns)
  if (ended.error?.code !== 'storage.jobs.cancelled')
    throw new UserError('storage.jobs.ended', `The run ${run.id} has ended: ${ended.status}.`)
  if (run.status === 'processing')
    await recordEvent(request, services, {
      event: 'storage.runCancelled',
      component: run.componentId,
      configurationId: run.configId,
      type: 'info',
      message: `The run ${run.id} was cancelled`,
    })
  return ended
}
