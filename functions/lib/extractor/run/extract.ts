import { rmSync } from 'node:fs'
import { UserError } from '../../errors/errors.ts'
import { checkShape } from '../config/check-shape.ts'
import { windowsOf } from '../config/incremental-schema.ts'
import type { Job } from '../config/job-schema.ts'
import type { ExtractorConfig } from '../config/parse-config.ts'
import { maskError } from '../requests/masking/mask-error.ts'
import { createMasker } from '../requests/masking/masker.ts'
import { secretsOf } from '../requests/masking/secrets-of.ts'
import { removeTables } from '../tables/table-file.ts'
import type { ExtractOptions, ExtractResult } from './extract-options.ts'
import { type Extraction, openExtraction } from './extraction.ts'
import { runIterations } from './run-iterations.ts'
import { skipWarnings } from './run-statistics.ts'
import { nextState, stateWithWindows } from './state.ts'

export type {
  ExtractCheckpoint,
  ExtractOptions,
  ExtractResult,
  ExtractSummary,
  KeptWindows,
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
  } catch (error) {
    await keepWindows(extraction, error)
    throw error
  } finally {
    extraction.close()
  }
}

/** A job that fails does not take with it what it has read before: gives the windows that are whole to `options.keepWindows`. */
const keepWindows = async (extraction: Extraction, error: unknown): Promise<void> => {
  const { options, parsed, log, masker, sinks, windows, refreshTokens, summary, warningsOf } = extraction
  const failure = maskError(error, masker)
  if (options.keepWindows === undefined || !windows.isNew || !(failure instanceof UserError)) return
  const types = typesWithWindows(parsed)
  try {
    const written = await sinks.finish(options.outDir)
    const tables = written.tables.filter(table => table.types.every(type => types.has(type)))
    await removeTables(written.tables.filter(table => !tables.includes(table)))
    const next = stateWithWindows(options.state, windows.all(), refreshTokens.all())
    const ended = summary(tables)
    const warnings = [...written.warnings, ...warningsOf(ended)].map(masker.mask)
    await options.keepWindows({ tables, state: next, warnings, summary: ended, failure })
  } catch (cause) {
    if (!(cause instanceof UserError)) throw cause
    log.warning(`Nothing is kept of the windows that were read: ${cause.message}`)
  }
}

/**
 * Data types whose rows all come from jobs with windows, or from children of such jobs. Their tables are loaded by key, so a part of
 * their rows may be loaded; other tables may be replaced.
 */
const typesWithWindows = ({ runs }: ExtractorConfig): ReadonlySet<string> => {
  const windowed = new Set<string>()
  const others = new Set<string>()
  const visit = (jobs: readonly Job[], isBelow: boolean): void => {
    for (const job of jobs) {
      const isWindowed = isBelow || windowsOf(job) !== undefined
      const into = isWindowed ? windowed : others
      into.add(job.dataType || job.endpoint)
      visit(job.children ?? [], isWindowed)
    }
  }
  for (const { config } of runs) visit(config.jobs, false)
  return windowed.difference(others)
}

/** After the last page: tables and manifests, the state that the next run begins with, and what there is to say. */
const finishExtraction = async (extraction: Extraction): Promise<ExtractResult> => {
  const { options, masker, state, leg, time, log, sinks, marks, windows, checks, refreshTokens } = extraction
  const { spool, bounds, summary, warningsOf } = extraction
  const learnt = sinks.structure()
  const { tables, warnings } = await sinks.finish(options.outDir)
  rmSync(spool.items, { recursive: true, force: true })
  const next = nextState(options.state, {
    // What was not read is still to be asked for
    currentStart: bounds.reached === undefined ? leg.currentStart : time.previousStart,
    learnt,
    highWaterMarks: bounds.reached === undefined ? marks.all() : state.highWaterMarks,
    windows: windows.all(),
    refreshTokens: refreshTokens.all(),
  })
  checks.remove()
  const ended = summary(tables)
  const ofJobs = skipWarnings(ended.jobs)
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
