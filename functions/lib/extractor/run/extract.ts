import { rmSync } from 'node:fs'
import { checkShape } from '../config/parse-config.ts'
import { createMasker, maskError } from '../requests/masking/masker.ts'
import { secretsOf } from '../requests/masking/secrets-of.ts'
import { type ExtractOptions, type ExtractResult, formatCheckpoint, type Leg } from './extract-options.ts'
import { type Extraction, openExtraction } from './extraction.ts'
import { prepareIteration } from './prepare-iteration.ts'
import { runSequences } from './run-sequences.ts'
import { endWarnings, noteWarnings } from './run-statistics.ts'
import { openSequences, saveSequences } from './saved-sequences.ts'
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
  const { options, masker, leg, log, sinks, marks, refreshTokens, allStatistics, spool } = extraction
  const { tables, warnings } = await sinks.finish(options.outDir)
  for (const folder of [spool.items, spool.answers]) rmSync(folder, { recursive: true, force: true })
  const state = nextState(options.state, {
    currentStart: leg.currentStart,
    learnt: sinks.structure(),
    highWaterMarks: marks.all(),
    refreshTokens: refreshTokens.all(),
  })
  const jobs = allStatistics.flatMap(one => one.all())
  const ofValues = noteWarnings(jobs)
  for (const warning of ofValues) log.warning(warning)
  const said = [...warnings, ...endWarnings(jobs), ...ofValues]
  return {
    finished: true,
    state,
    tables,
    warnings: said.map(masker.mask),
    summary: extraction.summary(tables),
  }
}

/** Reads all pages of all iterations. Resolves to a checkpoint when a stop comes first. */
const runIterations = async (extraction: Extraction): Promise<ExtractResult | undefined> => {
  const { options, masker, parsed, leg, sinks, stop, abort } = extraction
  const { traffic } = extraction.admissions
  let pages = 0
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
  for (let index = leg.iteration; index < parsed.runs.length; index++) {
    const iteration = prepareIteration(extraction, index)
    try {
      const saved = index === leg.iteration ? leg.sequences : undefined
      const sequences = openSequences(saved, iteration)
      await runSequences(sequences, iteration, onPage)
      const left = sequences.filter(sequence => sequence.length > 0)
      if (left.length > 0) return unfinished(extraction, index, left)
    } catch (error) {
      abort.abort(error) // before the connections close, so that requests under way end without an error of their own
      throw error
    } finally {
      await iteration.disconnect()
    }
  }
  // Large tables are put together in a leg of its own, not in what a deadline has left
  return stop.isLate ? unfinished(extraction, parsed.runs.length, []) : undefined
}

const unfinished = (
  extraction: Extraction,
  iteration: number,
  left: Parameters<typeof saveSequences>[0],
): ExtractResult => {
  const { options, leg, allStatistics, marks, admissions, sinks, spool, now, stop } = extraction
  const next: Leg = {
    ...leg,
    iteration,
    sequences: saveSequences(left, spool.answers, now()),
    statistics: allStatistics.map(one => one.all()),
    marks: marks.all(),
    traffic: admissions.traffic,
    budgets: admissions.saveBudgets(),
    sinks: sinks.checkpoint(),
  }
  return {
    finished: false,
    checkpoint: formatCheckpoint(next, options.config),
    isRead: left.length === 0,
    resumeInSeconds: stop.resumeInSeconds,
    summary: extraction.summary([]),
  }
}
