import { UserError } from '../../lib/errors/errors.ts'
import { ok } from '../http/reply.ts'
import { accessDenied, mayUseComponent } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { runBody, runResource } from './run-resource.ts'

export const getRun = defineRoute({
  method: 'get',
  path: '/v2/storage/runs/{runId}',
  summary: 'Run detail',
  tag: 'runs',
  replies: {
    200: 'The run',
    403: 'The token may not use the component',
    404: 'There is no such run, or it is older than 90 days',
  },
  reply: runBody,
  handle: async ({ params: { runId }, caller }, { extractionRuns }) => {
    const found = /^[\w.-]{1,80}$/.test(runId) ? await extractionRuns.get(runId) : undefined
    if (!found) throw new UserError('storage.runs.notFound', `Run ${runId.slice(0, 80)} not found`)
    const run = runResource({ ...found, name: runId })
    if (!mayUseComponent(caller, run.componentId)) throw accessDenied()
    return ok(run)
  },
})
