import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { integer, text } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import { findRun } from './read-runs.ts'

export const routes = routesOf('runs')

const amount = integer()

/** An extractor says how far its run has come, so that whoever waits for it sees it. It changes nothing else. */
routes.put('/v2/storage/runs/{runId}/progress', {
  summary: 'Note progress',
  body: z.object({
    row: amount,
    rowsCount: amount,
    rowName: text({ max: 255 }),
    leg: amount,
    pages: amount,
    rows: amount,
    retries: amount,
    requests: amount,
    requestLimit: amount.optional(),
    waitedSeconds: amount,
  }),
  replies: {
    204: 'Noted',
    404: 'It has ended',
  },
  handle: async ({ params: { runId }, body, caller }, { extractionRuns, now }) => {
    // As its items say: Step Functions is not asked each time.
    const { id, status } = await findRun(runId, caller, { ...extractionRuns, look: () => extractionRuns })
    if (status !== 'processing') throw new UserError('storage.runs.notFound', `${id} has ended`)
    await extractionRuns.noteProgress(id, { ...body, at: wireDate(now().toISOString()) }, now())
  },
})
