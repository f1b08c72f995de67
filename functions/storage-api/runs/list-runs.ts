import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { runBody } from '../../lib/wire/run-body.ts'
import { integer, text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { mayUseComponent } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import type { ExecutionStatus } from './extraction-runs.ts'
import { runResource } from './run-resource.ts'

const executionStatuses: Readonly<Record<string, readonly ExecutionStatus[]>> = {
  processing: ['RUNNING'],
  success: ['SUCCEEDED'],
  error: ['FAILED', 'TIMED_OUT', 'ABORTED'],
}

/** Of a configuration that seldom runs, no list looks further back than this many runs of all. */
const MAX_LOOKED_AT = 500
const READ_AT_ONCE = 8

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
    const runs: ReturnType<typeof runResource>[] = []
    const listed = extractionRuns.list(status === undefined ? [] : (executionStatuses[status] ?? []))
    for await (const some of inGroups(afterOffset(listed, offset), READ_AT_ONCE)) {
      const found = await pMap(some, async name => ({ name, run: await extractionRuns.get(name) }))
      for (const run of found.flatMap(({ name, run }) => (run ? runResource({ ...run, name }) : []))) {
        if (!mayUseComponent(caller, run.componentId)) continue
        if (run.componentId !== (componentId ?? run.componentId)) continue
        if (run.configId !== (configId ?? run.configId)) continue
        runs.push(run)
      }
      if (runs.length >= limit) break
    }
    return ok(runs.slice(0, limit))
  },
})

async function* afterOffset(runs: AsyncIterable<{ id: string }>, offset: number): AsyncGenerator<string> {
  let seen = 0
  for await (const { id } of runs) {
    if (seen++ < offset) continue
    yield id
    if (seen >= offset + MAX_LOOKED_AT) return
  }
}

async function* inGroups(ids: AsyncIterable<string>, size: number): AsyncGenerator<string[]> {
  let group: string[] = []
  for await (const id of ids) {
    group.push(id)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
