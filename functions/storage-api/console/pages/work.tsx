import { configurationBody } from '#lib/wire/configuration-body.ts'
import { deadLetterBody } from '#lib/wire/dead-letter-body.ts'
import { eventBody } from '#lib/wire/event-body.ts'
import { fileBody } from '#lib/wire/file-body.ts'
import { type JobBody, jobBody } from '#lib/wire/job-body.ts'
import { type RunBody, runBody } from '#lib/wire/run-body.ts'
import { type ApiClient, idIn, query, Refusal } from '../api-client.ts'
import type { PageBuilt, PageRoute } from '../built.ts'
import { DeadLetterList } from '../views/dead-letters.tsx'
import { JobDetail } from '../views/jobs.tsx'
import { jobTitle, pathOf, RunButton } from '../views/links.tsx'
import { RunDetail, RunToCome } from '../views/runs.tsx'
import { Timeline } from '../views/timeline.tsx'
import { configurationPath } from './configurations.tsx'

const SHOWN = 50
const at = '/console/jobs'

const timeline = async (client: ApiClient, show = 'all') => {
  const [jobs, runs] = await Promise.all([
    client.list(`jobs${query({ limit: SHOWN })}`, jobBody),
    client.list(`runs${query({ limit: SHOWN })}`, runBody),
  ])
  return <Timeline jobs={jobs} runs={runs} show={show} />
}

/** The name of the file that a job loads; undefined when there is none, or it is gone. */
const fileOf = async (client: ApiClient, { operationParams }: JobBody): Promise<string | undefined> => {
  const id = operationParams['dataFileId']
  if (typeof id !== 'number' && typeof id !== 'string') return undefined
  try {
    return (await client.get(`files/${encodeURIComponent(id)}`, fileBody)).name
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

interface AskedOfWork {
  params: Record<string, string>
}

const jobDetail = async (client: ApiClient, { params }: AskedOfWork) => {
  const job = await client.get(`jobs/${idIn(params)}`, jobBody)
  const of = job.runId === null ? { q: `params.jobId:${job.id}` } : { runId: job.runId }
  const events = await client.list(`events${query({ limit: SHOWN, ...of })}`, eventBody)
  const file = await fileOf(client, job)
  return { title: jobTitle(job, file), body: <JobDetail job={job} events={events} /> }
}

const runDetail = async (client: ApiClient, { params }: AskedOfWork): Promise<PageBuilt> => {
  const asked = /^run-(\d+)$/.exec(params['id'] ?? '')?.[1]
  try {
    const run = await client.get(`runs/${idIn(params)}`, runBody)
    return {
      title: `Run of ${await nameOf(client, run)}`,
      ...(run.status === 'error' && {
        action: <RunButton path={pathOf(run.componentId, run.configId)} verb="Run again" />,
      }),
      body: <RunDetail run={run} />,
    }
  } catch (error) {
    // Asked for a moment ago: its machine has not begun, or it never will, which its job says.
    if (!(error instanceof Refusal && error.status === 404) || asked === undefined) throw error
    const job = await client.get(`jobs/${asked}`, jobBody)
    return { title: jobTitle(job), body: <RunToCome job={job} /> }
  }
}

/** Of the configuration, as people named it. */
const nameOf = async (client: ApiClient, { componentId, configId }: RunBody): Promise<string> => {
  try {
    const path = configurationPath({ component: componentId, id: configId })
    return (await client.get(path, configurationBody)).name || configId
  } catch (error) {
    if (error instanceof Refusal) return configId
    throw error
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
  { path: '/console/jobs/:id', at, build: jobDetail },
  {
    path: '/console/jobs/:id/live',
    at,
    build: async (client, asked) => ({ fragment: (await jobDetail(client, asked)).body }),
  },
  { path: '/console/runs', at, build: async () => ({ redirect: '/console/jobs' }) },
  { path: '/console/runs/:id', at, build: runDetail },
  {
    path: '/console/runs/:id/live',
    at,
    build: async (client, asked) => ({ fragment: (await runDetail(client, asked)).body }),
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
