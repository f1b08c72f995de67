import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { branchOf, isFinal, type JobRecord } from '../../lib/storage/jobs/job-record.ts'
import type { JobStore } from '../../lib/storage/jobs/job-store.ts'
import { wireDate, wireDateOrNull } from '../../lib/wire/wire-date.ts'
import { jobOfRun } from '../configurations/run-configuration.ts'
import { findBranchId } from '../find/find-branch.ts'
import { integer, onlyText, text, textList } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import { findJob } from '../jobs/find-job.ts'
import { cancelled } from '../jobs/jobs.ts'
import { acceptJob } from '../jobs/submit-job.ts'
import {
  cancelledRun,
  filteredRuns,
  findRun,
  isAskedFor,
  type RunFilter,
  type runResource,
} from '../runs/runs.ts'
import type { Caller, Services } from '../services/services.ts'
import { requireComponents } from '../triggers/trigger-rights.ts'

export const routes = routesOf('queue')

interface Facts {
  id: string
  componentId: string
  configId: string
  branchId: number
  status: string
  createdTime: string
  startTime: string | null
  endTime: string | null
  error: { code: string; message: string } | null
  results: object | null
}

const queueJob = ({ componentId, configId, error, results, ...facts }: Facts, baseUrl: string) => {
  const { startTime, endTime } = facts
  const isFinished = facts.status === 'success' || facts.status === 'error'
  const isCancelled = error?.code === 'storage.jobs.cancelled'
  const seconds =
    startTime === null || endTime === null ? 0 : (Date.parse(endTime) - Date.parse(startTime)) / 1000
  return {
    ...facts,
    ...(isCancelled && { status: startTime === null ? 'cancelled' : 'terminated' }),
    runId: facts.id,
    component: componentId,
    config: configId,
    mode: 'run',
    type: 'standard',
    isFinished,
    url: `${baseUrl}/queue/jobs/${facts.id}`,
    durationSeconds: Math.round(seconds),
    result: {
      ...results,
      message: error?.message ?? (isFinished ? 'The run ended well.' : ''),
      ...(error && { error }),
    },
  }
}

const queueJobBody = z
  .object({
    id: z.string(),
    runId: z.string(),
    status: z.string(),
    isFinished: z.boolean(),
    component: z.string(),
    config: z.string(),
    branchId: z.int(),
    mode: z.string(),
    type: z.string(),
    url: z.string(),
    createdTime: z.string(),
    startTime: z.string().nullable(),
    endTime: z.string().nullable(),
    durationSeconds: z.int(),
    result: z.record(z.string(), z.unknown()),
  })
  .openapi('QueueJob')

/** In the words of the queue. */
const jobNotFound = (jobId: string) =>
  new UserError('storage.jobs.notFound', `Job "${jobId.slice(0, 20)}" not found`)

const ofJob = (job: JobRecord, baseUrl: string) => {
  if (job.input.operationName !== 'configurationRun') throw jobNotFound(String(job.id))
  const { componentId, configId } = job.input
  return queueJob(
    {
      id: String(job.id),
      componentId,
      configId,
      branchId: branchOf(job),
      status: job.status,
      createdTime: wireDate(job.createdTime),
      startTime: wireDateOrNull('startTime' in job ? job.startTime : null),
      endTime: wireDateOrNull('endTime' in job ? job.endTime : null),
      error: job.status === 'error' ? job.error : null,
      results: isFinal(job) ? job.results : null,
    },
    baseUrl,
  )
}

/** Of a run that a job asked for the job is known, of the others their name. */
const ofRun = (run: ReturnType<typeof runResource>, baseUrl: string) =>
  queueJob({ ...run, id: run.id.replace(/^run-(?=\d+$)/, ''), createdTime: run.startTime }, baseUrl)

const oneOrMore = () => z.union([textList(), text().transform(one => [one])]).default([])

const notHere = (what: string) =>
  z
    .unknown()
    .refine(() => false, { error: `${what} is not offered here: a run takes what is stored, all of it.` })
    .optional()

/** Runs a configuration, as `POST …/configs/{configId}/run` does. What would make another run of it is refused. */
routes.post('/queue/jobs', {
  summary: 'Run a configuration, as a job of the queue',
  body: z.object({
    component: text({ min: 1, max: 255 }),
    config: text({ min: 1, max: 255 }),
    branchId: text({ max: 20 }).optional(),
    mode: onlyText(['run'], 'This value should be "run": there is no other mode here.'),
    configData: notHere('Another configuration'),
    configRowIds: notHere('A choice of rows'),
    variableValuesId: notHere('A choice of variables'),
    variableValuesData: notHere('A choice of variables'),
    tag: text().optional(),
    backend: z.unknown().optional(),
  }),
  replies: {
    201: 'The job',
    400: '`storage.components.notRunnable`',
    403: 'The token may not use the component',
    404: 'There is no such configuration or branch',
  },
  reply: queueJobBody,
  handle: async (request, services) => {
    const { component: componentId, config: configId, branchId: branch } = request.body
    requireComponents(request.caller, [componentId])
    const branchId = await findBranchId(services, branch)
    const inBranch = { ...request, params: { componentId, configId }, branchId }
    const ofBranch = { ...services, ...services.inBranch(branchId) }
    const job = await acceptJob(inBranch, ofBranch, jobOfRun(inBranch, ofBranch))
    return ofJob(job, request.baseUrl)
  },
})

routes.get('/queue/jobs/{jobId}', {
  summary: 'A run, as a job of the queue',
  replies: { 200: 'The job', 403: 'The token may not see it', 404: 'There is no such job' },
  reply: queueJobBody,
  handle: async ({ params: { jobId }, caller, baseUrl }, services) =>
    parseId(jobId) === undefined
      ? ofRun(await findRun(jobId, caller, services.extractionRuns), baseUrl)
      : ofJob(await findJob(jobId, caller, services, jobNotFound), baseUrl),
})

routes.post('/queue/jobs/{jobId}/kill', {
  summary: 'Cancel a run, as a job of the queue',
  replies: {
    202: 'The job, or the run that has ended',
    403: 'The token may not see it',
    404: 'There is no such job',
    409: '`storage.jobs.ended`',
  },
  reply: queueJobBody,
  handle: async (request, services) => {
    const { params, baseUrl } = request
    return parseId(params.jobId) === undefined
      ? ofRun(await cancelledRun(params.jobId, request, services), baseUrl)
      : ofJob(await cancelled(params.jobId, request, services), baseUrl)
  },
})

const sorted = 'Jobs are listed by their start here, the newest first.'

routes.get('/queue/search/jobs', {
  summary: 'Search runs, as jobs of the queue',
  query: z.object({
    component: text().optional(),
    componentId: text().optional(),
    config: text().optional(),
    configId: text().optional(),
    branchId: text().optional(),
    status: oneOrMore(),
    limit: integer({ min: 1, max: 500 }).default(100),
    offset: integer({ max: 10_000 }).default(0),
    sortBy: onlyText(['startTime', 'createdTime', 'id'], sorted),
    sortOrder: onlyText(['desc'], sorted),
  }),
  replies: { 200: 'The runs that wait, then those that have begun' },
  reply: z.array(queueJobBody),
  handle: async ({ query, caller, baseUrl }, services) => {
    const { component, config, componentId = component, configId = config, branchId: branch } = query
    const branchId = branch === undefined ? undefined : await findBranchId(services, branch)
    const { status, offset, limit } = query
    const asked = { status, componentId, configId, branchId }
    const waiting = await waitingJobs(asked, caller, services)
    const first = waiting.slice(offset, offset + limit).map(job => ofJob(job, baseUrl))
    if (first.length === limit) return first
    const rest = { offset: Math.max(0, offset - waiting.length), limit: limit - first.length }
    const runs = await filteredRuns({ ...asked, ...rest }, caller, services.extractionRuns)
    return [...first, ...runs.map(run => ofRun(run, baseUrl))]
  },
})

/** The newest jobs of each configuration, that which ran last first. */
routes.get('/queue/search/grouped-jobs', {
  summary: 'Search runs by configuration, as jobs of the queue',
  query: z.object({
    groupBy: textList()
      .refine(names => names.toSorted().join() === 'componentId,configId', {
        error: 'Jobs are grouped by "componentId" and "configId" here.',
      })
      .optional(),
    jobsPerGroup: integer({ min: 1, max: 500 }).default(5),
    limit: integer({ min: 1, max: 500 }).default(100),
    sortBy: onlyText(['startTime', 'createdTime', 'id'], sorted),
    sortOrder: onlyText(['desc'], sorted),
  }),
  replies: { 200: 'The runs that have begun, by configuration' },
  reply: z.array(
    z.object({
      group: z.object({ componentId: z.string(), configId: z.string() }),
      jobs: z.array(queueJobBody),
    }),
  ),
  handle: async ({ query: { jobsPerGroup, limit }, caller, baseUrl }, { extractionRuns }) => {
    const runs = await filteredRuns({ limit: 500, offset: 0, status: [] }, caller, extractionRuns)
    const groups = Map.groupBy(runs, ({ componentId, configId }) => JSON.stringify({ componentId, configId }))
    return [...groups].slice(0, limit).map(([group, ofOne]) => ({
      group: JSON.parse(group),
      jobs: ofOne.slice(0, jobsPerGroup).map(run => ofRun(run, baseUrl)),
    }))
  },
})

/** Runs that were asked for and have not begun. */
const waitingJobs = async (
  { status, ...asked }: Omit<RunFilter, 'limit' | 'offset'>,
  caller: Caller,
  { jobs }: Services,
): Promise<JobRecord[]> => {
  if (status.length > 0 && !status.includes('waiting')) return []
  return (await listOpenJobs(jobs)).filter(({ input, ...job }) => {
    if (job.status !== 'waiting' || input.operationName !== 'configurationRun') return false
    return isAskedFor({ ...input, branchId: branchOf(job) }, asked, caller)
  })
}

/** Of the jobs that may be open, so many are read. */
const MAX_READ = 1000

/** The jobs that have not ended, newest first. */
const listOpenJobs = async ({
  listOpen,
  getMany,
}: Pick<JobStore, 'listOpen' | 'getMany'>): Promise<JobRecord[]> => {
  const ids: number[] = []
  for await (const { id } of listOpen()) if (ids.push(id) === MAX_READ) break
  return (await getMany(ids)).filter(job => !isFinal(job))
}
