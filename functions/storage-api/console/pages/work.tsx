import { deadLetterBody } from '#lib/wire/dead-letter-body.ts'
import { eventBody } from '#lib/wire/event-body.ts'
import { jobBody } from '#lib/wire/job-body.ts'
import { type LogLinesBody, logLinesBody, runBody } from '#lib/wire/run-body.ts'
import { type ApiClient, idIn, query, Refusal } from '../api-client.ts'
import type { PageRoute } from '../built.ts'
import { DeadLetterList } from '../views/dead-letters.tsx'
import { JobDetail } from '../views/jobs.tsx'
import { RunDetail } from '../views/runs.tsx'
import { Timeline } from '../views/timeline.tsx'

const SHOWN = 50
const at = '/console/jobs'

const timeline = async (client: ApiClient, show = 'all') => {
  const [jobs, runs] = await Promise.all([
    client.list(`jobs${query({ limit: SHOWN })}`, jobBody),
    client.list(`runs${query({ limit: SHOWN })}`, runBody),
  ])
  return <Timeline jobs={jobs} runs={runs} show={show} />
}

/** A token that does not manage all buckets sees the job without it. */
const logOf = async (
  client: ApiClient,
  correlationId: string,
): Promise<LogLinesBody | { problem: string }> => {
  try {
    return await client.get(`logs${query({ correlationId })}`, logLinesBody)
  } catch (error) {
    if (error instanceof Refusal) return { problem: error.message }
    throw error
  }
}

const jobDetail = async (client: ApiClient, params: Record<string, string>) => {
  const job = await client.get(`jobs/${idIn(params)}`, jobBody)
  const of = job.runId === null ? { q: `params.jobId:${job.id}` } : { runId: job.runId }
  const events = await client.list(`events${query({ limit: SHOWN, ...of })}`, eventBody)
  const log = await logOf(client, job.runId || `job-${job.id}`)
  return { title: `Job ${job.id}`, body: <JobDetail job={job} events={events} log={log} /> }
}

const runDetail = async (client: ApiClient, params: Record<string, string>) => {
  const run = await client.get(`runs/${idIn(params)}`, runBody)
  return {
    title: `Run of ${run.componentId}/${run.configId}`,
    body: <RunDetail run={run} log={await logOf(client, run.id)} />,
  }
}

export const workPages: readonly PageRoute[] = [
  {
    path: '/console/jobs',
    at,
    build: async (client, { query: { show } }) => ({
      title: 'Jobs and runs',
      body: await timeline(client, show),
    }),
  },
  {
    path: '/console/jobs/live',
    at,
    build: async (client, { query: { show } }) => ({ fragment: await timeline(client, show) }),
  },
  { path: '/console/jobs/:id', at, build: (client, { params }) => jobDetail(client, params) },
  {
    path: '/console/jobs/:id/live',
    at,
    build: async (client, { params }) => ({ fragment: (await jobDetail(client, params)).body }),
  },
  { path: '/console/runs', at, build: async () => ({ redirect: '/console/jobs' }) },
  { path: '/console/runs/:id', at, build: (client, { params }) => runDetail(client, params) },
  {
    path: '/console/runs/:id/live',
    at,
    build: async (client, { params }) => ({ fragment: (await runDetail(client, params)).body }),
  },
  {
    path: '/console/dead-letters',
    at: '/console/dead-letters',
    build: async client => ({
      title: 'Dead letters',
      body: <DeadLetterList letters={await client.list('dead-letters', deadLetterBody)} />,
    }),
  },
]
