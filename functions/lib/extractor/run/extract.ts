import { rmSync } from 'node:fs'
import { UserError } from '../../errors/errors.ts'
import { checkShape } from '../config/parse-config.ts'
import { createMasker, maskError } from '../requests/masking/masker.ts'
import { secretsOf } from '../requests/masking/secrets-of.ts'
import { formatCheckpoint, type Leg } from './checkpoint.ts'
import type { ExtractOptions, ExtractResult } from './extract-options.ts'
import { type Extraction, openExtraction } from './extraction.ts'
import type { JobContext } from './job-context.ts'
import { allPlans, groupByTable, type JobPlan } from './job-plan.ts'
import type { Pending } from './job-run.ts'
import { prepareIteration } from './prepare-iteration.ts'
import { type IterationOptions, runSequences } from './run-sequences.ts'
import { noteWarnings, skipWarnings } from './run-statistics.ts'
import { restoreSequences, saveSequences } from './saved-sequences.ts'
import { startJob } from './start-run.ts'
import { nextState } from './state.ts'

export type {
  ExtractCheckpoint,
  ExtractOptions,
  ExtractResult,
  ExtractSummary,
  Progress,
} from './extract-options.ts'

/**
 * Runs an extraction, or a leg of it: requests, tables, state.
 *
 * Resolves when all jobs are done (`finished: true`, tables and manifests are in `outDir`), or with a checkpoint once a
 * stop was asked for by `signal` or `deadline` and the requests under way have ended. Nothing is written to `outDir` before
 * the end, so a failed run leaves no tables and no state.
 *
 * @throws UserError for every fault of the configuration or the API; secrets are masked
 */
export const extract = async (options: ExtractOptions): Promise<ExtractResult> => {
  checkShape(options.config)
  const masker = createMasker(secretsOf(options.config).values())
  try {
    return await extractMasked(options, masker)
  } catch (error) {
    throw maskError(error, masker)
  }
}

const extractMasked = async (
  options: ExtractOptions,
  masker: ReturnType<typeof createMasker>,
): Promise<ExtractResult> => {
  const extraction = await openExtraction(options, masker)
  try {
    return (await runIterations(extraction)) ?? (await finishExtraction(extraction))
  } finally {
    extraction.close()
  }
}

/** After the last page: tables and manifests, the state that the next run begins with, and what there is to say. */
const finishExtraction = async (extraction: Extraction): Promise<ExtractResult> => {
  const { options, masker, leg, log, sinks, marks, refreshTokens } = extraction
  const { statistics, spool, summary, warningsOf } = extraction
  const learnt = sinks.structure()
  const { tables, warnings } = await sinks.finish(options.outDir)
  rmSync(spool.items, { recursive: true, force: true })
  const next = nextState(options.state, {
    currentStart: leg.currentStart,
    learnt,
    highWaterMarks: marks.all(),
    refreshTokens: refreshTokens.all(),
  })
  const ended = summary(tables)
  const ofJobs = [...skipWarnings(ended.jobs), ...noteWarnings(statistics.flatMap(one => one.all()))]
  for (const warning of ofJobs) log.warning(warning)
  const said = [...warnings, ...warningsOf(ended), ...ofJobs]
  return {
    finished: true,
    state: next,
    tables,
    warnings: said.map(masker.mask),
    summary: ended,
  }
}

/** Reads all pages of all iterations. Resolves to a checkpoint when a stop comes first. */
const runIterations = async (extraction: Extraction): Promise<ExtractResult | undefined> => {
  const { options, masker, parsed, leg, sinks, traffic, stop, abort } = extraction
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
          retries: leg.retries,
          requests: traffic.requests,
          waitedSeconds: traffic.waitedSeconds,
          url: masker.mask(url),
        })
      }
      const left = await runIteration({ ...iteration, onPage }, sequences)
      if (left.length > 0) {
        const next: Leg = {
          ...leg,
          iteration: index,
          lanes: saveSequences(left, extraction.now()),
          statistics: extraction.statistics.map(one => one.all()),
          marks: extraction.marks.all(),
          traffic,
          budgets: extraction.saveBudgets(),
          sinks: sinks.checkpoint(),
        }
        return {
          finished: false,
          checkpoint: formatCheckpoint(next, options.config),
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
