import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { type Decision, decisionName, decisions } from '../../lib/extractor/decision-name.ts'
import type { DescribeRun } from '../../lib/storage/runs/describe-run.ts'
import { parsedJson } from '../../lib/storage/runs/run-execution.ts'
import { mayUseComponent } from '../../lib/storage/tokens/rights.ts'
import type { Caller } from '../http/authenticate.ts'
import { accessDenied } from '../http/rights.ts'
import type { ExtractionRuns } from './extraction-runs.ts'
import { runResource } from './run-resource.ts'

/** What was decided about a run that holds tables back, and the run that carries it out. */
interface RunDecision {
  decision: Decision
  runId: string
  status: 'processing' | 'success' | 'error'
}

type FoundRun = ReturnType<typeof runResource> & {
  /** `null`: nothing was held back, or nothing is decided. */
  decision: RunDecision | null
}

export const isHeldRun = ({ results }: Pick<FoundRun, 'results'>): boolean => results?.['status'] === 'held'

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
  return { ...run, decision: isHeldRun(run) ? await decisionAbout(runId, get) : null }
}

const decisionInput = z.object({ decision: z.enum(decisions) })

const decisionAbout = async (runId: string, get: DescribeRun): Promise<RunDecision | null> => {
  const found = await get(decisionName(runId))
  if (!found) return null
  const { decision } = decisionInput.parse(parsedJson(found.input))
  return { decision, runId: found.name, status: runResource(found).status }
}
