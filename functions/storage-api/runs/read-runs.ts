import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import { runBody, type ToldProgress } from '../../lib/wire/run-body.ts'
import { integer, text } from '../http/fields.ts'
import { accessDenied } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import type { ExtractionRuns } from '../services/extraction-runs.ts'
import type { Caller } from '../services/services.ts'
import { runResource } from './run-resource.ts'

export const routes = routesOf('runs')

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
  return {
    ...run,
    progress: run.status === 'processing' ? ((await extractionRuns.progressOf(runId)) ?? null) : null,
  }
}
