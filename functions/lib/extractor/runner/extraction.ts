import { rmSync } from 'node:fs'
import { UserError } from '../../errors/errors.ts'
import { answerSpool } from '../answers/answer-spool.ts'
import { createRefreshTokens } from '../authentication/refresh-tokens.ts'
import { RunChecks } from '../completeness/run-checks.ts'
import { conditionalOf } from '../config/conditional-schema.ts'
import { type ExtractorConfig, parseConfig } from '../config/parse-config.ts'
import { createRunDeletions } from '../deletions/run-deletions.ts'
import type { ExtractOptions, ExtractSummary } from '../extract-options.ts'
import { createKeptAnswers } from '../http/kept-answers.ts'
import { newTraffic } from '../http/traffic.ts'
import { createLog } from '../masking/log.ts'
import type { createMasker } from '../masking/masker.ts'
import type { Json } from '../tables/json-value.ts'
import type { WrittenTable } from '../tables/sink-types.ts'
import { checkLoads } from '../tables/table-loads.ts'
import { WindowProgress } from '../windows/window-progress.ts'
import { type Leg, parseCheckpoint } from './checkpoint.ts'
import { createHighWaterMarks } from './high-water-marks.ts'
import { iterationNames } from './iteration-names.ts'
import { createRunRequests } from './run-requests.ts'
import {
  completenessWarnings,
  createRunStatistics,
  type JobSummary,
  maskSummary,
  silenceWarnings,
  windowWarnings,
} from './run-statistics.ts'
import { createSinks } from './sinks.ts'
import { readState, stateWithTokens } from './state.ts'
import { createStopSignal, Stopped } from './stop-signal.ts'

const defaultGraceSeconds = 20

/** All that the parts of an extraction share, from its first leg or from a checkpoint. */
export type Extraction = Awaited<ReturnType<typeof openExtraction>>

/** Close what it returns. */
export const openExtraction = async (
  options: ExtractOptions,
  secrets: ReadonlyMap<string, string>,
  masker: ReturnType<typeof createMasker>,
) => {
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
          traffic: newTraffic(),
          logins: 0,
          currentStart: Math.floor(now()),
          sinks: {},
        }
      : parseCheckpoint(options.checkpoint, options.config, secrets)
  const time = { previousStart: state.previousStart, currentStart: leg.currentStart }
  const log = createLog(options.log ?? (() => {}), masker, Boolean(parsed.runs[0]?.config.debug))
  const sinks = createSinks({ parsed, spoolDir: options.spoolDir, state, saved: leg.sinks, log })
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
      createRunStatistics(several ? `${index}/` : '', (leg.statistics[index] ?? []) as JobSummary[]), // as `runIterations` writes them
  )
  const stop = createStopSignal({ signal: options.signal, deadline: options.deadline })
  const abort = new AbortController()
  const grace = (options.graceSeconds ?? defaultGraceSeconds) * 1000
  let graceTimer: NodeJS.Timeout | undefined
  void stop.signal.then(() => {
    graceTimer = setTimeout(() => abort.abort(new Stopped('no answer within the grace')), grace)
  })
  const spool = answerSpool(options.spoolDir)
  const counts = { retries: leg.retries, logins: leg.logins }
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

  const summary = (tables: WrittenTable[]): ExtractSummary => ({
    jobs: statistics.flatMap(one => one.all()).map(job => maskSummary(job, masker)),
    retries: counts.retries,
    traffic: { ...traffic, waitedSeconds: Math.round(traffic.waitedSeconds * 1000) / 1000 },
    logins: counts.logins,
    rows: sinks.rows,
    tables: tables.map(({ name, rows }) => ({ name: masker.mask(name), rows })),
  })
  const warningsOf = ({ jobs }: ExtractSummary): string[] => {
    const said = [...windowWarnings(jobs), ...windows.warnings()]
    for (const warning of said) log.warning(warning)
    return [...completenessWarnings(jobs), ...silenceWarnings(jobs), ...said]
  }

  const close = (): void => {
    clearTimeout(graceTimer)
    abort.abort(new Error('The extraction has ended'))
    stop.dispose()
    rmSync(spool.bodies, { recursive: true, force: true })
  }

  return {
    options,
    secrets,
    masker,
    parsed,
    now,
    state,
    leg,
    time,
    log,
    sinks,
    marks,
    windows,
    names,
    checks,
    deletions,
    refreshTokens,
    configs,
    statistics,
    stop,
    abort,
    spool,
    counts,
    traffic,
    bounds,
    wait,
    admissionFor,
    keptAnswers,
    summary,
    warningsOf,
    close,
  }
}

/** What a configuration may ask for and we do not do. */
const refuseUnsupported = (file: ExtractorConfig['file']): void => {
  const { sshProxy } = file.parameters
  if (sshProxy !== undefined && sshProxy !== null) {
    throw new UserError('extractor.config.sshProxy', 'SSH tunnels ("parameters.sshProxy") are not supported.')
  }
  if (file.action !== undefined && file.action !== 'run') {
    throw new UserError(
      'extractor.config.action',
      `The action "${file.action}" is not supported, only "run".`,
    )
  }
}
