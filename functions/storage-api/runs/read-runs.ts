import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import type { DescribeRun } from '../../lib/storage/runs/describe-run.ts'
import { parsedJson } from '../../lib/storage/runs/run-execution.ts'
import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import { type Decision, decisionName, decisions } from '../../lib/wire/decision-name.ts'
import { runBody, type ToldProgress } from '../../lib/wire/run-body.ts'
import { findBranchId } from '../find/find-branch.ts'
import { findConfiguration } from '../find/find-configuration.ts'
import { integer, text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { accessDenied } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import type { Caller } from '../services/authenticate.ts'
import type { ExtractionRuns } from '../services/extraction-runs.ts'
import { runResource } from './run-resource.ts'

/** With a filter, no list looks further back than this many runs. */
const MAX_LOOKED_AT = 500

/** Runs of configurations, newest first: scheduled ones, those of jobs and triggers, and those that people start. */
export const listRuns = defineRoute({
  method: 'get',
  path: '/v2/storage/runs',
  summary: 'List runs of configurations',
  tag: 'runs',
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
    ok(await filteredRuns({ ...query, status: query.status ? [query.status] : [] }, caller, extractionRuns)),
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

export const getRun = defineRoute({
  method: 'get',
  path: '/v2/storage/runs/{runId}',
  summary: 'Run detail',
  tag: 'runs',
  replies: {
    200: 'The run',
    403: 'The token may not use the component',
    404: 'There is no such run, or it is older than 90 days',
  },
  reply: runBody,
  handle: async ({ params: { runId }, caller }, { extractionRuns }) =>
    ok(await findRun(runId, caller, extractionRuns)),
})

/** What was decided about a run that holds tables back, and the run that carries it out. */
interface RunDecision {
  decision: Decision
  runId: string
  status: 'processing' | 'success' | 'error'
}

type FoundRun = ReturnType<typeof runResource> & {
  /** `null`: it has said nothing yet, or has ended. */
  progress: ToldProgress | null
  /** `null`: nothing was held back, or nothing is decided. */
  decision: RunDecision | null
}

const isHeldRun = ({ results }: Pick<FoundRun, 'results'>): boolean => results?.['status'] === 'held'

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
    decision: isHeldRun(run) ? await decisionAbout(runId, get) : null,
  }
}

const decisionInput = z.object({ decision: z.enum(decisions) })

const decisionAbout = async (runId: string, get: DescribeRun): Promise<RunDecision | null> => {
  const found = await get(decisionName(runId))
  if (!found) return null
  const { decision } = decisionInput.parse(parsedJson(found.input))
  return { decision, runId: found.name, status: runResource(found).status }
}

/**
 * Loads the tables that a run holds back because its data have changed, or drops them, by a job `configurationRun`. It may do
 * what the authors of the run and its caller may, and goes to the branch of the run, whatever branch the path names. Of two decisions about a run the first
 * counts.
 */
const decideRun = (decision: Decision, summary: string) =>
  defineRoute({
    method: 'post',
    path: `/v2/storage/runs/{runId}/${decision}`,
    summary,
    tag: 'runs',
    replies: {
      202: 'The job `configurationRun`',
      400: '`storage.runs.notHeld`',
      403: 'The token may not use the component',
      404: 'There is no such run or configuration, or its branch is deleted',
      409: '`storage.runs.decided`',
    },
    handle: async (request, services) => {
      const run = await findRun(request.params.runId, request.caller, services.extractionRuns)
      const { componentId, configId } = run
      const branchId = await findBranchId(services, String(run.branchId))
      const ofBranch = { ...services, ...services.inBranch(branchId) }
      return submitJob({ ...request, branchId }, ofBranch, {
        input: { operationName: 'configurationRun', componentId, configId, decides: run.id, decision },
        admit: async () => {
          if (!isHeldRun(run))
            throw new UserError('storage.runs.notHeld', `Run ${run.id} holds no tables back for approval.`)
          if (run.decision !== null)
            throw new UserError(
              'storage.runs.decided',
              `About run ${run.id} was decided before: ${run.decision.decision}, by run ${run.decision.runId}.`,
            )
          const { current } = await findConfiguration(
            { params: { componentId, configId }, branchId },
            ofBranch,
          )
          return { componentId, configId, version: current.version }
        },
      })
    },
  })

export const approveRun = decideRun('approve', 'Load what a run holds back')
export const rejectRun = decideRun('reject', 'Drop what a run holds back')
