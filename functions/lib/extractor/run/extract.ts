import { rmSync } from 'node:fs'
import { checkShape } from '../config/check-shape.ts'
import { maskError } from '../requests/masking/mask-error.ts'
import { createMasker } from '../requests/masking/masker.ts'
import { secretsOf } from '../requests/masking/secrets-of.ts'
import type { ExtractOptions, ExtractResult } from './extract-options.ts'
import { type Extraction, openExtraction } from './extraction.ts'
import { runIterations } from './run-iterations.ts'
import { noteWarnings, skipWarnings } from './run-statistics.ts'
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
  const secrets = secretsOf(options.config)
  const masker = createMasker(secrets.values())
  try {
    return await extractMasked(options, secrets, masker)
  } catch (error) {
    throw maskError(error, masker)
  }
}

const extractMasked = async (
  options: ExtractOptions,
  secrets: ReadonlyMap<string, string>,
  masker: ReturnType<typeof createMasker>,
): Promise<ExtractResult> => {
  const extraction = await openExtraction(options, secrets, masker)
  try {
    return (await runIterations(extraction)) ?? (await finishExtraction(extraction))
  } finally {
    extraction.close()
  }
}

/** After the last page: tables and manifests, the state that the next run begins with, and what there is to say. */
const finishExtraction = async (extraction: Extraction): Promise<ExtractResult> => {
  const { options, masker, state, leg, time, log, sinks, marks, refreshTokens } = extraction
  const { statistics, spool, bounds, summary, warningsOf } = extraction
  const learnt = sinks.structure()
  const { tables, warnings } = await sinks.finish(options.outDir)
  rmSync(spool.items, { recursive: true, force: true })
  const next = nextState(options.state, {
    // What was not read is still to be asked for
    currentStart: bounds.reached === undefined ? leg.currentStart : time.previousStart,
    learnt,
    highWaterMarks: bounds.reached === undefined ? marks.all() : state.highWaterMarks,
    refreshTokens: refreshTokens.all(),
  })
  const ended = summary(tables)
  const ofJobs = [...skipWarnings(ended.jobs), ...noteWarnings(statistics.flatMap(one => one.all()))]
  for (const warning of ofJobs) log.warning(warning)
  const said = [
    ...warnings,
    ...(bounds.reached === undefined ? [] : [bounds.reached]),
    ...warningsOf(ended),
    ...ofJobs,
  ]
  return {
    finished: true,
    state: next,
    tables,
    warnings: said.map(masker.mask),
    summary: ended,
  }
}
