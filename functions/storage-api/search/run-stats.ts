import { z } from '@hono/zod-openapi'
import { text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

const counted = z.object({ totalCount: z.int(), totalBytes: z.int() })

/** How much the jobs of a run imported and exported. */
export const runStats = defineRoute({
  method: 'get',
  path: '/v2/storage/stats',
  summary: 'What a run moved',
  tag: 'search',
  access: 'project',
  query: z.object({ runId: text({ min: 1, max: 255 }) }),
  replies: { 200: 'The sums of its imports and exports' },
  reply: z.object({ tables: z.object({ import: counted, export: counted }) }),
  handle: async ({ query }, { jobs }) => {
    const sums = { import: { totalCount: 0, totalBytes: 0 }, export: { totalCount: 0, totalBytes: 0 } }
    for await (const job of jobs.list()) {
      const isOfRun = job.runId === query.runId || job.runId?.startsWith(`${query.runId}.`)
      if (!isOfRun || job.status !== 'success') continue
      const { operationName } = job.input
      const sum = operationName === 'tableExport' ? sums.export : sums.import
      if (!['tableImport', 'tableCreate', 'tableExport'].includes(operationName)) continue
      sum.totalCount++
      sum.totalBytes += job.metrics.inBytes + job.metrics.outBytes
    }
    return ok({ tables: sums })
  },
})
