import { z } from 'zod'
import { foreignCode } from '../../lib/errors/codes.ts'
import { TransientError, UserError } from '../../lib/errors/errors.ts'
import { parseId } from '../../lib/storage/db/ids.ts'
import { jobFailure } from '../../lib/storage/jobs/job-errors.ts'
import { branchOf, type JobRecord, noMetrics } from '../../lib/storage/jobs/job-record.ts'
import { isRun, type RunJob } from '../../lib/storage/jobs/job-store.ts'
import { startBehind } from '../../lib/storage/jobs/start-next.ts'
import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import {
  type RunBody,
  type RunState,
  runBody,
  runOfJob,
  runProgress,
  type ToldProgress,
  tokenOfRun,
} from '../../lib/wire/run-body.ts'
import { wireDate, wireDateOrNull } from '../../lib/wire/wire-date.ts'
import { flag, integer, text } from '../http/fields.ts'
import { accessDenied } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import { cancelled, stopRun } from '../jobs/jobs.ts'
import type { Caller, Services } from '../services/services.ts'

export const routes = routesOf('runs')

const counts = z.object({ rowsLoaded: z.number(), requests: z.number() })
const noCounts = { rowsLoaded: null, requests: null }

/** The run on the wire (docs/reference/storage-api.md#runs). */
const runResource = (job: RunJob): RunBody => {
  const { componentId, configId, trigger } = job.input
  const startTime = job.status === 'waiting' ? null : job.startTime
  const endTime = 'endTime' in job ? job.endTime : null
  const results = 'results' in job ? job.results : null
  return {
    id: runOfJob(job.id),
    componentId,
    configId,
    branchId: branchOf(job),
    trigger: trigger ?? `job ${job.id}`,
    status: job.status,
    createdTime: wireDate(job.createdTime),
    startTime: wireDateOrNull(startTime),
    endTime: wireDateOrNull(endTime),
    durationSeconds: startTime && endTime ? (Date.parse(endTime) - Date.parse(startTime)) / 1000 : null,
    ...(counts.safeParse(results).data ?? noCounts),
    results,
    error: job.status === 'error' ? { code: job.error.code, message: job.error.message } : null,
  }
}

/** With a filter, no list looks further back than this many runs. */
const MAX_LOOKED_AT = 500

/** Runs of configurations, newest first: scheduled ones, those of triggers, and those that people ask for. */
routes.get('/v2/storage/runs', {
  summary: 'List runs of configurations',
  query: z.object({
    limit: integer({ min: 1, max: 100 }).default(20),
    offset: integer({ max: 10_000 }).default(0),
    status: z.enum(runBody.shape.status.options).optional(),
    componentId: text().optional(),
    configId: text().optional(),
  }),
  replies: { 200: `The runs, among the last ${MAX_LOOKED_AT} after \`offset\`` },
  reply: z.array(runBody),
  handle: async ({ query, caller }, { jobs }) => {
    const status = query.status ? [query.status] : []
    return (await filteredRuns({ ...query, status }, caller, jobs)).map(runResource)
  },
})

interface RunFilter {
  limit: number
  offset: number
  /** None: any. */
  status: readonly string[]
  componentId?: string | undefined
  configId?: string | undefined
  branchId?: number | undefined
}

/** The runs that a token may see, newest first. */
export const filteredRuns = async (
  { limit, offset, status, componentId, configId, branchId }: RunFilter,
  caller: Caller,
  jobs: Pick<Services['jobs'], 'listRuns'>,
): Promise<RunJob[]> => {
  const place = componentId !== undefined && configId !== undefined ? { componentId, configId } : undefined
  const isAskedFor = ({ input, ...job }: RunJob): boolean =>
    mayUseComponent(caller, input.componentId) &&
    input.componentId === (componentId ?? input.componentId) &&
    input.configId === (configId ?? input.configId) &&
    branchOf(job) === (branchId ?? branchOf(job))
  const runs: RunJob[] = []
  let seen = 0
  for await (const run of jobs.listRuns(place)) {
    if (status.length > 0 && !status.includes(run.status)) continue
    if (seen++ < offset) continue
    if (seen > offset + MAX_LOOKED_AT) break
    if (!isAskedFor(run)) continue
    runs.push(run)
    if (runs.length === limit) break
  }
  return runs
}

routes.get('/v2/storage/runs/{runId}', {
  summary: 'Run detail',
  replies: {
    200: 'The run',
    403: 'The token may not use the component',
    404: 'There is no such run',
  },
  reply: runBody,
  handle: async ({ params: { runId }, caller }, services) => {
    const job = await runNamed(runId, caller, services)
    return { ...runResource(job), progress: progressOf(job) }
  },
})

/** `null`: it has said nothing yet, or is not under way. */
const progressOf = (job: JobRecord): ToldProgress | null =>
  job.status === 'processing' && job.progress
    ? ({ ...job.progress, at: wireDate(job.progress.at) } as ToldProgress) // it was read when it was told
    : null

const runNamed = (runId: string, caller: Caller, services: Services): Promise<RunJob> =>
  findRun(
    /^run-(\d+)$/.exec(runId)?.[1] ?? '',
    { caller, notFound: () => new UserError('storage.runs.notFound', `Run ${runId.slice(0, 80)} not found`) },
    services,
  )

/** The job that is a run. Errors: `notFound`; `accessDenied` for a token that may not use the component. */
export const findRun = async (
  jobId: string,
  { caller, notFound }: { caller: Caller; notFound: () => UserError },
  { jobs }: Pick<Services, 'jobs'>,
): Promise<RunJob> => {
  const id = parseId(jobId)
  const job = id === undefined ? undefined : await jobs.get(id)
  if (!job || !isRun(job)) throw notFound()
  if (!mayUseComponent(caller, job.input.componentId)) throw accessDenied()
  return job
}

/** Stops a run at its next page. A table that is being loaded is loaded whole; no other one is, and no state is saved. */
routes.post('/v2/storage/runs/{runId}/cancel', {
  summary: 'Cancel a run',
  reply: runBody,
  replies: {
    202: 'The run, which has ended',
    403: 'The token may not use the component',
    404: 'There is no such run',
    409: '`storage.jobs.ended`',
  },
  handle: async (request, services) => {
    const { params, caller } = request
    await cancelled(await runNamed(params.runId, caller, services), request, services)
    return runResource(await runNamed(params.runId, caller, services))
  },
})

const amount = integer().optional()

const runState = z.discriminatedUnion('status', [
  z.object({ status: z.literal('processing') }),
  z.object({ status: z.literal('success'), results: z.record(z.string(), z.unknown()) }),
  z.object({ status: z.literal('error'), code: text(), message: text() }),
])

/**
 * An extractor says how far its run has come, so that whoever waits for it sees it; that its rows begin or end to be loaded: in
 * between nobody stops it; or that the run begins or has ended.
 */
routes.put('/v2/storage/runs/{runId}/progress', {
  summary: 'Note progress',
  body: z.object({
    row: amount,
    rowsCount: amount,
    rowName: text({ max: 255 }).optional(),
    leg: amount,
    pages: amount,
    rows: amount,
    retries: amount,
    requests: amount,
    waitedSeconds: amount,
    /** Whether rows are being loaded: alone, it leaves how far the run has come. */
    isLoading: flag().optional(),
    /** That it begins, or how it has ended. */
    state: runState.optional(),
  }),
  replies: {
    204: 'Noted',
    400: 'It begins to load and somebody has cancelled it: `storage.jobs.cancelled`',
    403: 'The token is neither the run’s own nor the master token, which alone says that it begins or has ended',
    404: 'It has ended',
    409: 'It begins, loads or ends, and has ended: `storage.jobs.ended`. Or it begins before another one has ended: `storage.runs.underWay`',
  },
  handle: async ({ params: { runId }, body, caller }, services) => {
    const job = await runNamed(runId, caller, services)
    const { id, cancelledBy } = job
    const { state, isLoading, ...told } = body
    if (!caller.isMaster && (state || !caller.description.startsWith(tokenOfRun(runOfJob(id)))))
      throw accessDenied(state ? 'the master token' : 'the token of the run')
    if (state) return noteState(job, state, services)
    if (isLoading !== undefined) return services.jobs.noteLoading(id, isLoading)
    const { data: progress } = runProgress.safeParse(told)
    if (!progress)
      throw new UserError('storage.validation', 'Invalid request: a progress names all of its amounts.')
    if (!(await services.jobs.noteProgress(id, progress, services.now())))
      throw new UserError('storage.runs.notFound', `${runOfJob(id)} has ended`)
    // Somebody asked for its end while it loaded: that counts now.
    if (cancelledBy !== undefined) await stopRun(job, cancelledBy, services)
  },
})

/** Repeated, it comes to the same. Errors: `storage.jobs.ended`, `storage.runs.underWay`. */
const noteState = async (job: RunJob, state: RunState, services: Services): Promise<void> => {
  const { jobs, now } = services
  const begun = job.status === 'waiting' ? await jobs.begin(job, now()) : job
  if ('heldBy' in begun)
    throw new UserError(
      'storage.runs.underWay',
      `The run ${runOfJob(begun.heldBy)} of the configuration has not ended.`,
    )
  if (begun.status !== 'processing')
    throw new UserError('storage.jobs.ended', `The job ${job.id} has ended: ${begun.status}.`)
  if (state.status === 'processing') {
    // Whoever asked for its end before it began may have gone no further.
    if (job.cancelledBy !== undefined) await stopRun(job, job.cancelledBy, services)
    return
  }
  const at = now()
  const ended =
    state.status === 'error'
      ? await jobs.fail(begun, at, jobFailure(new UserError(foreignCode(state.code), state.message)))
      : await jobs.succeed(begun, { at, outcome: { results: state.results, metrics: noMetrics } })
  if (typeof ended === 'string')
    throw new TransientError('storage.busy', `The job ${job.id} is changed by many at once.`)
  await startBehind(ended, services)
}
