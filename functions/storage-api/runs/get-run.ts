import { runBody } from '../../lib/wire/run-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findRun } from './find-run.ts'

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
  handle: async ({ params: { runId }, caller }, { extractionRuns }) =>
    ok(await findRun(runId, caller, extractionRuns)),
})
