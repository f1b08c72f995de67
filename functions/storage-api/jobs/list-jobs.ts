import { z } from '@hono/zod-openapi'
import type { JobRecord } from '../../lib/storage/jobs/job-record.ts'
import { integer, text, textList } from '../http/fields.ts'
import { page } from '../http/page.ts'
import { ok } from '../http/reply.ts'
import { maySeeJob } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { jobBody } from './job-body.ts'
import { jobResource } from './job-resource.ts'

const query = z.object({
  limit: integer({ min: 1, max: 1000 }).default(20),
  offset: integer().default(0),
  sinceId: integer().optional(),
  maxId: integer({ min: 1 }).optional(),
  runId: text().optional(),
  tableId: text().optional(),
  storage_job_status: textList().default([]),
  operationName: z.union([textList(), text().transform(name => [name])]).default([]),
})

/** Jobs, newest first. */
export const listJobs = defineRoute({
  method: 'get',
  path: '/v2/storage/jobs',
  summary: 'List jobs',
  tag: 'jobs',
  query,
  replies: { 200: 'The jobs' },
  reply: z.array(jobBody),
  handle: async ({ query, caller, baseUrl }, { jobs }) => {
    const {
      limit,
      offset,
      sinceId,
      maxId,
      runId,
      tableId,
      storage_job_status: statuses,
      operationName,
    } = query
    const isListed = (job: JobRecord): boolean => {
      const hasStatus = statuses.length === 0 || statuses.includes(job.status)
      const isOperation = operationName.length === 0 || operationName.includes(job.input.operationName)
      const isOfRun = runId === undefined || job.runId === runId
      if (!maySeeJob(caller, job)) return false
      return hasStatus && isOperation && isOfRun && (tableId === undefined || job.tableId === tableId)
    }
    const found = await page(jobs.list({ sinceId, maxId }), { limit, offset, isListed })
    return ok(found.map(job => jobResource(job, baseUrl)))
  },
})
