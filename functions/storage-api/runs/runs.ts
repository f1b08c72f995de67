import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { describeFailure } from '../../lib/errors/machine-failure.ts'
import { jobCancelled } from '../../lib/storage/jobs/job-store.ts'
import { inputOfRun, parsedJson, type RunExecution } from '../../lib/storage/runs/run-execution.ts'
import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import { runBody, type ToldProgress, tokenOfRun } from '../../lib/wire/run-body.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { integer, text } from '../http/fields.ts'
import { recordEvent } from '../http/record-event.ts'
import { accessDenied } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { Sender } from '../http/route-definition.ts'
import type { ExtractionRuns } from '../services/extraction-runs.ts'
import type { Caller, Services } from '../services/services.ts'

export const routes = routesOf('runs')

const result = z
  .looseObject({ rowsLoaded: z.number().catch(0).default(0), requests: z.number().catch(0).default(0) })
  .nullable()
  .catch(null)

const runStatus = {
  RUNNING: 'processing',
  SUCCEEDED: 'success',
  FAILED: 'error',
  TIMED_OUT: 'error',
  ABORTED: 'error',
} as const satisfies Record<RunExecution['status'], string>

/** The run on the wire (docs/reference/storage-api.md#runs). */
export const runResource = (run: RunExecution) => {
  const { name, status, startDate, stopDate } = run
  const output = result.parse(parsedJson(run.output))
  const isError = runStatus[status] === 'error'
  return {
    id: name,
    ...inputOfRun(run),
    status: runStatus[status],
    startTime: wireDate(startDate.toISOString()),
    endTime: stopDate === undefined ? null : wireDate(stopDate.toISOString()),
    durationSeconds: stopDate === undefined ? null : (stopDate.getTime() - startDate.getTime()) / 1000,
    rowsLoaded: output?.rowsLoaded ?? null,
    requests: output?.requests ?? null,
    results: output,
    error: isError
      ? describeFailure({
          Error: run.error ?? `extraction.${status.toLowerCase()}`,
          Cause: run.cause ?? 'The run was stopped before its end.',
        })
      : null,
  }
}

/** With a filter, no list looks further back than this many runs. */
const MAX_LOOKED_AT = 500

/** Runs of configurations, newest first: scheduled ones, those of jobs and triggers, and those that people start. */
routes.get('/v2/storage/runs', {
  summary: 'List runs of configurations',
  query: z.object({
    limit: integer({ min: 1, max: 100 }).default(20),
    offset: integer({ max: 10_000 }).default(0),
    status: z.enum(['processing', 'success', 'error']).optional(),
    componentId: text().optional(),
    configId: text().optional(),
  }),
  replies: { 200: `The runs, among the last ${MAX_LOOKED_AT} after \`offset\`` },
  reply: z.array(runBody),
  handle: async ({ query, caller }, { extractionRuns }) =>
    filteredRuns({ ...query, status: query.status ? [query.status] : [] }, caller, extractionRuns),
})

export interface RunFilter {
  limit: number
  offset: number
  /** None: any. */
  status: readonly string[]
  componentId?: string | undefined
  configId?: string | undefined
  branchId?: number | undefined
}

type RunPlace = Partial<Pick<ReturnType<typeof runResource>, 'componentId' | 'configId' | 'branchId'>>

/** Whether a run, or one that waits, is of what was asked for, and the token may see it. */
export const isAskedFor = (
  run: Required<RunPlace>,
  { componentId, configId, branchId }: Pick<RunFilter, keyof RunPlace>,
  caller: Caller,
): boolean =>
  mayUseComponent(caller, run.componentId) &&
  run.componentId === (componentId ?? run.componentId) &&
  run.configId === (configId ?? run.configId) &&
  run.branchId === (branchId ?? run.branchId)

/** The runs that a token may see, newest first. */
export const filteredRuns = async (
  { limit, offset, status, componentId, configId, branchId }: RunFilter,
  caller: Caller,
  extractionRuns: Pick<ExtractionRuns, 'list'>,
): Promise<ReturnType<typeof runResource>[]> => {
  const place = componentId !== undefined && configId !== undefined ? { componentId, configId } : undefined
  const runs: ReturnType<typeof runResource>[] = []
  let seen = 0
  for await (const found of extractionRuns.list(place)) {
    const run = runResource(found)
    if (status.length > 0 && !status.includes(run.status)) continue
    if (seen++ < offset) continue
    if (seen > offset + MAX_LOOKED_AT) break
    if (!isAskedFor(run, { componentId, configId, branchId }, caller)) continue
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
    404: 'There is no such run, or it is older than 90 days',
  },
  reply: runBody,
  handle: async ({ params: { runId }, caller }, { extractionRuns }) => findRun(runId, caller, extractionRuns),
})

type FoundRun = ReturnType<typeof runResource> & {
  /** `null`: it has said nothing yet, or has ended. */
  progress: ToldProgress | null
}

/** Errors: `storage.runs.notFound`; `accessDenied` for a token that may not use the component. */
export const findRun = async (
  runId: string,
  caller: Caller,
  extractionRuns: ExtractionRuns,
): Promise<FoundRun> => {
  const { get } = extractionRuns.look()
  const found = /^[\w.-]{1,80}$/.test(runId) ? await get(runId) : undefined
  if (!found) throw new UserError('storage.runs.notFound', `Run ${runId.slice(0, 80)} not found`)
  const run = runResource(found)
  if (!mayUseComponent(caller, run.componentId)) throw accessDenied()
  return { ...run, progress: run.status === 'processing' ? (found.progress ?? null) : null }
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
  handle: async (request, services) => cancelledRun(request.params.runId, request, services),
})

/** Errors: `storage.runs.notFound`, `accessDenied`, `storage.jobs.ended`. Of one that was cancelled before nothing changes. */
export const cancelledRun = async (runId: string, request: Sender, services: Services) => {
  const { caller } = request
  const { extractionRuns } = services
  const run = await findRun(runId, caller, extractionRuns)
  if (run.status === 'processing') await extractionRuns.stop(run.id, jobCancelled(caller.description))
  const ended = await findRun(runId, caller, extractionRuns)
  if (ended.error?.code !== 'storage.jobs.cancelled')
    throw new UserError('storage.jobs.ended', `The run ${run.id} has ended: ${ended.status}.`)
  if (run.status === 'processing')
    await recordEvent(request, services, {
      event: 'storage.runCancelled',
      component: run.componentId,
      configurationId: run.configId,
      type: 'info',
      message: `The run ${run.id} was cancelled`,
    })
  return ended
}

const amount = integer()

/** An extractor says how far its run has come, so that whoever waits for it sees it. It changes nothing else. */
routes.put('/v2/storage/runs/{runId}/progress', {
  summary: 'Note progress',
  body: z.object({
    row: amount,
    rowsCount: amount,
    rowName: text({ max: 255 }),
    leg: amount,
    pages: amount,
    rows: amount,
    retries: amount,
    requests: amount,
    waitedSeconds: amount,
  }),
  replies: {
    204: 'Noted',
    403: 'The token is neither the run’s own nor the master token',
    404: 'It has ended',
  },
  handle: async ({ params: { runId }, body, caller }, { extractionRuns, now }) => {
    // As its items say: Step Functions is not asked each time.
    const { id } = await findRun(runId, caller, { ...extractionRuns, look: () => extractionRuns })
    if (!caller.isMaster && !caller.description.startsWith(tokenOfRun(id)))
      throw accessDenied('the token of the run')
    if (!(await extractionRuns.noteProgress(id, { ...body, at: wireDate(now().toISOString()) })))
      throw new UserError('storage.runs.notFound', `${id} has ended`)
  },
})
