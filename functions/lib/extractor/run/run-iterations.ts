import { UserError } from '../../errors/errors.ts'
import { formatCheckpoint, type Leg } from './checkpoint.ts'
import type { ExtractResult } from './extract-options.ts'
import type { Extraction } from './extraction.ts'
import type { JobContext } from './job-context.ts'
import { allPlans, groupByTable, type JobPlan } from './job-plan.ts'
import type { Pending } from './job-run.ts'
import type { IterationOptions } from './page-steps.ts'
import { prepareIteration } from './prepare-iteration.ts'
import { runSequences } from './run-sequences.ts'
import { restoreSequences, saveSequences } from './saved-sequences.ts'
import { startJob } from './start-job.ts'

/** Reads all pages of all iterations. Resolves to a checkpoint when a stop comes first. */
export const runIterations = async (extraction: Extraction): Promise<ExtractResult | undefined> => {
  const { options, secrets, masker, parsed, leg, sinks, counts, traffic, stop, bounds, abort } = extraction
  const requestLimit = parsed.api.limits?.requests
  let pages = 0
  for (let index = leg.iteration; index < parsed.runs.length; index++) {
    const iteration = await prepareIteration(extraction, index)
    try {
      const resumed = index === leg.iteration && leg.lanes !== undefined
      const sequences = resumed ? restoreSequences(leg.lanes, iteration.plans, iteration.context) : undefined
      const onPage = (url: string): void => {
        pages++
        options.onProgress?.({
          pages,
          rows: sinks.rows,
          retries: counts.retries,
          requests: traffic.requests,
          ...(requestLimit !== undefined && { requestLimit }),
          waitedSeconds: traffic.waitedSeconds,
          url: masker.mask(url),
        })
      }
      const left = await runIteration({ ...iteration, onPage }, sequences)
      if (left.length > 0) {
        const next: Leg = {
          iteration: index,
          lanes: saveSequences(left, extraction.now()),
          statistics: extraction.statistics.map(one => one.all()),
          marks: extraction.marks.all(),
          ...counts,
          traffic,
          budgets: extraction.saveBudgets(),
          currentStart: leg.currentStart,
          sinks: sinks.checkpoint(),
          reached: bounds.reached,
        }
        return {
          finished: false,
          checkpoint: formatCheckpoint(next, options.config, secrets),
          resumeInSeconds: stop.resumeInSeconds,
          summary: extraction.summary([]),
        }
      }
    } catch (error) {
      abort.abort(error) // before the connections close, so that requests under way end without an error of their own
      throw error
    } finally {
      await iteration.close()
    }
  }
  return undefined
}

/** Runs all jobs of one iteration. Resolves to the pages that a stop left over; none when it is finished. */
const runIteration = async (
  options: IterationOptions,
  sequences: Pending[][] = startSequences(options.plans, options.context),
): Promise<Pending[][]> => {
  const { plans, context } = options
  await runSequences(sequences, options)
  const left = sequences.filter(sequence => sequence.length > 0)
  if (left.length === 0) refuseEmpty(plans, context)
  return left
}

const startSequences = (plans: readonly JobPlan[], context: JobContext): Pending[][] =>
  groupByTable(plans, { mappings: context.config.mappings, method: context.defaults.method }).map(group =>
    group.flatMap(plan => startJob(plan, [], [], context)),
  )

/** @throws UserError `extractor.job.empty` for a job that must not be empty (`failWhenEmpty`) and gave no row */
const refuseEmpty = (plans: readonly JobPlan[], { statistics }: JobContext): void => {
  for (const plan of allPlans(plans)) {
    if (plan.job.failWhenEmpty !== true || statistics.rowsOf(plan) > 0) continue
    throw new UserError('extractor.job.empty', `Job '${plan.job.endpoint}' gave no rows ("failWhenEmpty").`)
  }
}
