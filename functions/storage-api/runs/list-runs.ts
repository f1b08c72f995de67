import { z } from '@hono/zod-openapi'
import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import { runBody } from '../../lib/wire/run-body.ts'
import { integer, text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { runResource } from './run-resource.ts'

/** With a filter, no list looks further back than this many runs. */
const MAX_LOOKED_AT = 500

/** Runs of configurations, newest first: scheduled ones, those of jobs and triggers, and those that people start. */
export const listRuns = defineRoute({
  method: 'get',
  path: '/v2/storage/runs',
  summary: 'List runs of configurations',
  tag: 'runs',
  query: z.object({
    limit: integer({ min: 1, max: 100 }).default(20),
    offset: integer({ max: 10_000 }).default(0),
    status: z.enum(['processing', 'success', 'error']).optional(),
    componentId: text().optional(),
    configId: text().optional(),
  }),
  replies: { 200: `The runs, among the last ${MAX_LOOKED_AT} after \`offset\`` },
  reply: z.array(runBody),
  handle: async ({ query, caller }, { extractionRuns }) => {
    const { limit, offset, status, componentId, configId } = query
    const place = componentId !== undefined && configId !== undefined ? { componentId, configId } : undefined
    const runs: ReturnType<typeof runResource>[] = []
    let seen = 0
    for await (const found of extractionRuns.list(place)) {
      const run = runResource(found)
      if (run.status !== (status ?? run.status)) continue
      if (seen++ < offset) continue
      if (seen > offset + MAX_LOOKED_AT) break
      if (!mayUseComponent(caller, run.componentId)) continue
      if (run.componentId !== (componentId ?? run.componentId)) continue
      if (run.configId !== (configId ?? run.configId)) continue
      runs.push(run)
      if (runs.length === limit) break
    }
    return ok(runs)
  },
})
