import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { branchOf } from '../../lib/storage/jobs/job-record.ts'
import type { RunJob } from '../../lib/storage/jobs/job-store.ts'
import { wireDate, wireDateOrNull } from '../../lib/wire/wire-date.ts'
import { jobOfRun } from '../configurations/run-configuration.ts'
import { findBranchId } from '../find/find-branch.ts'
import { integer, onlyText, text, textList } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import { cancelled } from '../jobs/jobs.ts'
import { acceptJob } from '../jobs/submit-job.ts'
import { filteredRuns, findRun } from '../runs/runs.ts'
import type { Caller } from '../services/services.ts'
import { requireComponents } from '../triggers/trigger-rights.ts'

export const routes = routesOf('queue')

const queueJob = (job: RunJob, baseUrl: string) => {
  const { componentId, configId } = job.input
  const id = String(job.id)
  const startTime = job.status === 'waiting' ? null : job.startTime
  const endTime = 'endTime' in job ? job.endTime : null
  const error = job.status === 'error' ? job.error : undefined
  const isCancelled = error?.code === 'storage.jobs.cancelled'
  const seconds = startTime && endTime ? (Date.parse(endTime) - Date.parse(startTime)) / 1000 : 0
  return {
    id,
    componentId,
    configId,
    branchId: branchOf(job),
    status: isCancelled ? (startTime === null ? 'cancelled' : 'terminated') : job.status,
    createdTime: wireDate(job.createdTime),
    startTime: wireDateOrNull(startTime),
    endTime: wireDateOrNull(endTime),
    runId: id,
    component: componentId,
    config: configId,
    mode: 'run',
    type: 'standard',
    isFinished: endTime !== null,
    url: `${baseUrl}/queue/jobs/${id}`,
    durationSeconds: Math.round(seconds),
    result: {
      ...('results' in job && job.results),
      message: error?.message ?? (endTime === null ? '' : 'The run ended well.'),
      ...(error && { error: { code: error.code, message: error.message } }),
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
  .meta({ id: 'QueueJob' })

/** In the words of the queue. */
const jobNotFound = (jobId: string) =>
  new UserError('storage.jobs.notFound', `Job "${jobId.slice(0, 20)}" not found`)

const runIn = (jobId: string, caller: Caller) => ({ caller, notFound: () => jobNotFound(jobId) })

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
    const { job } = await acceptJob(inBranch, ofBranch, jobOfRun(inBranch, ofBranch))
    return queueJob(await findRun(String(job.id), runIn('', request.caller), services), request.baseUrl)
  },
})

routes.get('/queue/jobs/{jobId}', {
  summary: 'A run, as a job of the queue',
  replies: { 200: 'The job', 403: 'The token may not see it', 404: 'There is no such job' },
  reply: queueJobBody,
  handle: async ({ params: { jobId }, caller, baseUrl }, services) =>
    queueJob(await findRun(jobId, runIn(jobId, caller), services), baseUrl),
})

routes.post('/queue/jobs/{jobId}/kill', {
  summary: 'Cancel a run, as a job of the queue',
  replies: {
    202: 'The job, which has ended',
    403: 'The token may not see it',
    404: 'There is no such job',
    409: '`storage.jobs.ended`',
  },
  reply: queueJobBody,
  handle: async (request, services) => {
    const { params, caller, baseUrl } = request
    const find = () => findRun(params.jobId, runIn(params.jobId, caller), services)
    await cancelled(await find(), request, services)
    return queueJob(await find(), baseUrl)
  },
})

const sorted = 'Jobs are listed as they were asked for here, the newest first.'

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
  replies: { 200: 'The runs' },
  reply: z.array(queueJobBody),
  handle: async ({ query, caller, baseUrl }, services) => {
    const { component, config, componentId = component, configId = config, branchId: branch } = query
    const branchId = branch === undefined ? undefined : await findBranchId(services, branch)
    const { status, offset, limit } = query
    const asked = { status, componentId, configId, branchId, offset, limit }
    return (await filteredRuns(asked, caller, services.jobs)).map(run => queueJob(run, baseUrl))
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
  replies: { 200: 'The runs, by configuration' },
  reply: z.array(
    z.object({
      group: z.object({ componentId: z.string(), configId: z.string() }),
      jobs: z.array(queueJobBody),
    }),
  ),
  handle: async ({ query: { jobsPerGroup, limit }, caller, baseUrl }, { jobs }) => {
    const runs = await filteredRuns({ limit: 500, offset: 0, status: [] }, caller, jobs)
    const groups = Map.groupBy(runs, ({ input: { componentId, configId } }) =>
      JSON.stringify({ componentId, configId }),
    )
    return [...groups].slice(0, limit).map(([group, ofOne]) => ({
      group: JSON.parse(group),
      jobs: ofOne.slice(0, jobsPerGroup).map(run => queueJob(run, baseUrl)),
    }))
  },
})
