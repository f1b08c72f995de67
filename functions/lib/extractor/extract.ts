import { rmSync } from 'node:fs'
import { UserError } from '../errors/errors.ts'
import { answerSpool } from './answers/answer-spool.ts'
import { createRefreshTokens } from './authentication/refresh-tokens.ts'
import { RunChecks } from './completeness/run-checks.ts'
import { checkShape } from './config/check-shape.ts'
import { conditionalOf } from './config/conditional-schema.ts'
import { parseConfig } from './config/parse-config.ts'
import { refuseUnsupported } from './config/refuse-unsupported.ts'
import { createRunDeletions } from './deletions/run-deletions.ts'
import type { DriftReport } from './drift/check-drift.ts'
import { finishDrift } from './drift/finish-drift.ts'
import { profilesOf } from './drift/stored-profiles.ts'
import type { ExtractOptions, ExtractResult, ExtractSummary } from './extract-options.ts'
import { createKeptAnswers, notKeptWarnings } from './http/kept-answers.ts'
import { createLog } from './masking/log.ts'
import { maskError, maskSummary } from './masking/mask-error.ts'
import { createMasker } from './masking/masker.ts'
import { secretsOf } from './masking/secrets-of.ts'
import { formatCheckpoint, type Leg, parseCheckpoint } from './runner/checkpoint.ts'
import { createPageThreads } from './runner/create-page-threads.ts'
import { createHighWaterMarks } from './runner/high-water-marks.ts'
import { prepareIteration } from './runner/prepare-iteration.ts'
import { runIteration } from './runner/run-iteration.ts'
import { createRunRequests } from './runner/run-requests.ts'
import {
  castWarnings,
  completenessWarnings,
  createRunStatistics,
  type JobSummary,
  windowWarnings,
} from './runner/run-statistics.ts'
import { restoreSequences, saveSequences } from './runner/saved-sequences.ts'
import { createSinks } from './runner/sinks.ts'
import { nextState, readState, stateWithTokens, stateWithWindows } from './runner/state.ts'
import { createStopSignal, Stopped } from './runner/stop-signal.ts'
import type { Json } from './tables/json-value.ts'
import type { WrittenTable } from './tables/sink-types.ts'
import { removeTables } from './tables/table-file.ts'
import { checkLoads } from './tables/table-loads.ts'
import { iterationNames } from './windows/iteration-names.ts'
import { typesWithWindows } from './windows/types-with-windows.ts'
import { WindowProgress } from './windows/window-progress.ts'

export type {
  ExtractCheckpoint,
  ExtractOptions,
  ExtractResult,
  ExtractSummary,
  KeptWindows,
  Progress,
} from './extract-options.ts'

const defaultGraceSeconds = 20

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
  const parsed = parseConfig(options.config, options.compat === undefined ? {} : { compat: options.compat })
  refuseUnsupported(parsed.file)
  checkLoads(parsed)
  const now = options.now ?? (() => Date.now() / 1000)
  const state = readState(options.state)
  const leg: Leg =
    options.checkpoint === undefined
      ? {
          iteration: 0,
          lanes: undefined,
          statistics: [],
          marks: {},
          retries: 0,
          currentStart: Math.floor(now()),
          sinks: {},
        }
      : parseCheckpoint(options.checkpoint, options.config, secrets)
  const time = { previousStart: state.previousStart, currentStart: leg.currentStart }
  const log = createLog(options.log ?? (() => {}), masker, Boolean(parsed.runs[0]?.config.debug))
  const threads = createPageThreads(parsed, options, log)
  const sinks = createSinks({ parsed, spoolDir: options.spoolDir, state, saved: leg.sinks, log, threads })
  const marks = createHighWaterMarks(state.highWaterMarks, leg.marks as Record<string, Json>, now) // JSON, as stored
  const windows = new WindowProgress(state.windows, leg.windows)
  const names = iterationNames(parsed.file.parameters.iterations, masker)
  const checks = await RunChecks.restore(options.spoolDir, leg.checks)
  const deletions = createRunDeletions({ parsed, options, state, saved: leg.keys, log })
  const refreshTokens = createRefreshTokens(state.refreshTokens, async tokens =>
    options.keepState?.(stateWithTokens(options.state, tokens)),
  )
  for (const tokens of refreshTokens.all()) for (const token of Object.values(tokens)) masker.add(token)
  const configs = parsed.runs.map(({ config }) => config)
  const several = parsed.runs.length > 1
  const statistics = parsed.runs.map(
    (_, index) =>
      createRunStatistics(several ? `${index}/` : '', (leg.statistics[index] ?? []) as JobSummary[]), // as formatted below
  )
  const stop = createStopSignal({ signal: options.signal, deadline: options.deadline })
  const abort = new AbortController()
  const grace = (options.graceSeconds ?? defaultGraceSeconds) * 1000
  let graceTimer: NodeJS.Timeout | undefined
  void stop.signal.then(() => {
    graceTimer = setTimeout(() => abort.abort(new Stopped('no answer within the grace')), grace)
  })
  const spool = answerSpool(options.spoolDir)
  let { retries, logins = 0 } = leg
  const { traffic, bounds, wait, admissionFor } = createRunRequests({
    parsed,
    options,
    secrets: secrets.values(),
    leg,
    rows: () => sinks.rows,
    now,
    log,
    stop,
    aborted: abort.signal,
  })
  const keptAnswers = createKeptAnswers({
    settings: conditionalOf(parsed.api.http),
    before: options.keptAnswers,
    spoolDir: options.spoolDir,
    secrets: secrets.values(),
    masker,
    traffic,
  })
  let pages = 0

  const summary = (tables: WrittenTable[]): ExtractSummary => ({
    jobs: statistics.flatMap(one => one.all()).map(job => maskSummary(job, masker)),
    retries,
    traffic: { ...traffic, waitedSeconds: Math.round(traffic.waitedSeconds * 1000) / 1000 },
    logins,
    rows: sinks.rows,
    tables: tables.map(({ name, rows }) => ({ name, rows })),
  })
  const warningsOf = ({ jobs }: ExtractSummary): string[] => {
    const said = [...windowWarnings(jobs), ...windows.warnings()]
    for (const warning of said) log.warning(warning)
    return [...completenessWarnings(jobs), ...said]
  }
  /** A job that fails does not take with it what it has read before. */
  const keepWindows = async (error: unknown): Promise<void> => {
    const failure = maskError(error, masker)
    const mayKeep = failure instanceof UserError && failure.code !== 'extractor.drift' // which touches no table
    if (options.keepWindows === undefined || !windows.isNew || !mayKeep) return
    const types = typesWithWindows(parsed)
    try {
      const written = await sinks.finish(options.outDir)
      const tables = written.tables.filter(table => table.types.every(type => types.has(type)))
      await removeTables(written.tables.filter(table => !tables.includes(table)))
      const drift = await finishDrift({
        tables,
        configs,
        before: profilesOf(tables, state.profiles),
        log,
        mayHold: false,
      })
      const next = stateWithWindows(options.state, windows.all(), refreshTokens.all())
      const ended = summary(tables)
      const warnings = [...written.warnings, ...warningsOf(ended), ...drift.warnings]
      await options.keepWindows({ tables, state: next, warnings, summary: ended, failure })
    } catch (cause) {
      if (!(cause instanceof UserError)) throw cause
      log.warning(`Nothing is kept of the windows that were read: ${cause.message}`)
    }
  }

  try {
    for (let index = leg.iteration; index < parsed.runs.length; index++) {
      const iteration = await prepareIteration({
        parsed,
        index,
        options,
        now,
        time,
        masker,
        log,
        marks,
        windows,
        iterationName: names[index] ?? '',
        checks: options.maxRows === undefined ? checks : undefined,
        noteKeys: deletions.noteKeys(index),
        refreshTokens,
        keptAnswers,
        wait,
        admissionFor,
        statistics: statistics[index] ?? createRunStatistics(''),
        signal: abort.signal,
        onRetry: () => retries++,
        onLogin: () => logins++,
      })
      try {
        const resumed = index === leg.iteration && leg.lanes !== undefined
        const left = await runIteration({
          ...iteration,
          sink: sinks.of(index),
          stop,
          bounds,
          ...(resumed ? { sequences: restoreSequences(leg.lanes, iteration.plans, iteration.context) } : {}),
          onPage: url => {
            pages++
            options.onProgress?.({ pages, rows: sinks.rows, retries, url: masker.mask(url) })
          },
        })
        if (left.length > 0) {
          const next: Leg = {
            iteration: index,
            lanes: saveSequences(left, now()),
            statistics: statistics.map(one => one.all()),
            marks: marks.all(),
            retries,
            traffic,
            logins,
            currentStart: leg.currentStart,
            sinks: sinks.checkpoint(),
            checks: checks.save(),
            windows: windows.save(),
            reached: bounds.reached,
            keys: deletions.save(),
          }
          return {
            finished: false,
            checkpoint: formatCheckpoint(next, options.config, secrets),
            resumeInSeconds: stop.resumeInSeconds,
            summary: summary([]),
          }
        }
      } catch (error) {
        abort.abort(error) // before the connections close, so that requests under way end without an error of their own
        throw error
      } finally {
        await iteration.close()
      }
    }
    const gone = await deletions.mark({ statistics, reached: bounds.reached, sinkOf: sinks.of })
    const learnt = sinks.structure()
    const { tables, warnings } = await sinks.finish(options.outDir)
    const drift = await finishDrift({
      tables,
      // What is cut short, a preview or a run at one of its limits, has too few rows to say how they have changed
      configs: options.maxRows === undefined && bounds.reached === undefined ? configs : [],
      before: state.profiles,
      log,
      mayHold: options.mayHold === true,
    })
    rmSync(spool.items, { recursive: true, force: true })
    const next = nextState(options.state, {
      // What was not read is still to be asked for
      currentStart: bounds.reached === undefined ? leg.currentStart : time.previousStart,
      learnt,
      highWaterMarks: bounds.reached === undefined ? marks.all() : state.highWaterMarks,
      windows: windows.all(),
      refreshTokens: refreshTokens.all(),
      profiles: drift.profiles,
      keySets: gone.kept,
    })
    checks.remove()
    const ended = summary(tables)
    const ofCasts = castWarnings(ended.jobs)
    for (const warning of ofCasts) log.warning(warning)
    const said = [
      ...warnings,
      ...(bounds.reached === undefined ? [] : [bounds.reached]),
      ...warningsOf(ended),
      ...ofCasts,
      ...drift.warnings,
      ...notKeptWarnings(traffic, log),
      ...gone.warnings,
    ]
    const compared = drift.report === undefined ? {} : { drift: masker.maskAll(drift.report) as DriftReport } // keeps the shape
    const answers = keptAnswers?.file()
    const kept = answers === undefined ? {} : { keptAnswers: answers }
    return { finished: true, state: next, tables, warnings: said, ...compared, ...kept, summary: ended }
  } catch (error) {
    await keepWindows(error)
    throw error
  } finally {
    clearTimeout(graceTimer)
    abort.abort(new Error('The extraction has ended'))
    stop.dispose()
    rmSync(spool.bodies, { recursive: true, force: true })
    await threads?.close()
  }
}
