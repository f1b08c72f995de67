import { z } from '@hono/zod-openapi'
import { hoursBody } from '../../lib/wire/hours-body.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { integer } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { maySeeJob } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import type { Services } from '../services/services.ts'
import { createHours } from './count-hours.ts'

/** What a request has the time to read. Those beyond are not counted, and the reply says so. */
const MAX_JOBS = 5_000
const MAX_RUNS = 2_000

/**
 * What began in each of the last hours and what became of it. Runs that no job asked for, such as scheduled ones, are counted for
 * tokens that manage all buckets; others see their own jobs.
 */
export const hourlyStats = defineRoute({
  method: 'get',
  path: '/v2/storage/stats/hours',
  summary: 'Jobs and runs by hour',
  tag: 'search',
  query: z.object({ hours: integer({ min: 1, max: 168 }).default(24) }),
  replies: { 200: `The hours; of at most ${MAX_JOBS} jobs and ${MAX_RUNS} runs` },
  reply: hoursBody,
  handle: async ({ query, caller }, services) => {
    const series = createHours(services.now(), query.hours)
    const seesRuns = caller.canManageBuckets
    const [hasAllJobs, hasAllRuns] = await Promise.all([
      addJobs(series, services, job => {
        // A run counts once, as itself or as the job that asked for it.
        if (seesRuns && job.input.operationName === 'configurationRun') return false
        return maySeeJob(caller, job)
      }),
      seesRuns ? addRuns(series, services) : true,
    ])
    const hours = series.hours.map(hour => ({ ...hour, start: wireDate(hour.start) }))
    return ok({ isComplete: hasAllJobs && hasAllRuns, hours })
  },
})

type Series = ReturnType<typeof createHours>
type Job = Parameters<Series['addJob']>[0]

/** Resolves to whether all of them were read. */
const addJobs = async (
  { addJob, from }: Series,
  { jobs }: Pick<Services, 'jobs'>,
  isCounted: (job: Job) => boolean,
): Promise<boolean> => {
  let seen = 0
  for await (const job of jobs.list()) {
    if (job.createdTime < from.toISOString()) break
    if (seen++ === MAX_JOBS) return false
    if (isCounted(job)) addJob(job)
  }
  return true
}

/** Resolves to whether all of them were read. */
const addRuns = async (
  { addRun, from }: Series,
  { extractionRuns }: Pick<Services, 'extractionRuns'>,
): Promise<boolean> => {
  let seen = 0
  for await (const run of extractionRuns.list()) {
    if (run.startDate < from) break
    if (seen++ === MAX_RUNS) return false
    addRun(run)
  }
  return true
}
