import { rmSync } from 'node:fs'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { type ExtractorConfig, parseConfig } from '../config/parse-config.ts'
import { answerSpool } from '../requests/answers/answer-spool.ts'
import { createRefreshTokens } from '../requests/http/refresh-tokens.ts'
import { newTraffic } from '../requests/http/traffic.ts'
import { createLog } from '../requests/masking/log.ts'
import type { Masker } from '../requests/masking/masker.ts'
import type { WrittenTable } from '../tables/sink-types.ts'
import { checkLoads } from '../tables/table-loads.ts'
import { type Leg, parseCheckpoint } from './checkpoint.ts'
import type { ExtractOptions, ExtractSummary } from './extract-options.ts'
import { createHighWaterMarks } from './high-water-marks.ts'
import { createRunRequests } from './run-requests.ts'
import {
  completenessWarnings,
  createRunStatistics,
  type JobSummary,
  maskSummary,
  silenceWarnings,
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
  masker: Masker,
) => {
  const parsed = parseConfig(options.config, options.compat === undefined ? {} : { compat: options.compat })
  refuseUnsupported(parsed.file)
  checkLoads(parsed)
  const now = options.now ?? (() => Date.now() / 1000)
  const state = readState(options.state)
  const leg =
    options.checkpoint === undefined
      ? firstLeg(now())
      : parseCheckpoint(options.checkpoint, options.config, secrets)
  const time = { previousStart: state.previousStart, currentStart: leg.currentStart }
  const log = createLog(options.log ?? (() => {}), masker, Boolean(parsed.runs[0]?.config.debug))
  const sinks = createSinks({ parsed, spoolDir: options.spoolDir, state, saved: leg.sinks, log })
  const marks = createHighWaterMarks(state.highWaterMarks, leg.marks as Record<string, Json>, now) // JSON, as stored
  const refreshTokens = openRefreshTokens(state.refreshTokens, options, masker)
  const statistics = openStatistics(parsed, leg)
  const stop = createStopSignal({ signal: options.signal, deadline: options.deadline })
  const { abort, endGrace } = abortAfter(stop.signal, options.graceSeconds)
  const spool = answerSpool(options.spoolDir)
  const counts = { retries: leg.retries, logins: leg.logins }
  const { traffic, bounds, wait, admissionFor, saveBudgets } = createRunRequests({
    parsed,
    leg,
    rows: () => sinks.rows,
    now,
    log,
    stop,
    aborted: abort.signal,
  })
  const summary = (tables: WrittenTable[]): ExtractSummary => ({
    ...counts,
    jobs: statistics.flatMap(one => one.all()).map(job => maskSummary(job, masker)),
    traffic: { ...traffic, waitedSeconds: Math.round(traffic.waitedSeconds * 1000) / 1000 },
    rows: sinks.rows,
    tables: tables.map(({ name, rows }) => ({ name: masker.mask(name), rows })),
  })
  const close = (): void => {
    endGrace()
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
    refreshTokens,
    statistics,
    stop,
    abort,
    spool,
    counts,
    traffic,
    bounds,
    wait,
    admissionFor,
    saveBudgets,
    summary,
    warningsOf: ({ jobs }: ExtractSummary) => [...completenessWarnings(jobs), ...silenceWarnings(jobs)],
    close,
  }
}

const firstLeg = (now: number): Leg => ({
  iteration: 0,
  lanes: undefined,
  statistics: [],
  marks: {},
  retries: 0,
  traffic: newTraffic(),
  logins: 0,
  currentStart: Math.floor(now),
  sinks: {},
})

const openRefreshTokens = (
  known: Parameters<typeof createRefreshTokens>[0],
  { state, keepState }: ExtractOptions,
  masker: Masker,
) => {
  const opened = createRefreshTokens(known, async tokens => keepState?.(stateWithTokens(state, tokens)))
  for (const tokens of opened.all()) for (const token of Object.values(tokens)) masker.add(token)
  return opened
}

const openStatistics = ({ runs }: ExtractorConfig, leg: Leg) =>
  runs.map(
    (_, index) =>
      createRunStatistics(runs.length > 1 ? `${index}/` : '', (leg.statistics[index] ?? []) as JobSummary[]), // as `runIterations` writes them
  )

/** After a stop, requests under way have some time to be answered. */
const abortAfter = (stopped: Promise<unknown>, graceSeconds = defaultGraceSeconds) => {
  const abort = new AbortController()
  let timer: NodeJS.Timeout | undefined
  void stopped.then(() => {
    timer = setTimeout(() => abort.abort(new Stopped('no answer within the grace')), graceSeconds * 1000)
  })
  return { abort, endGrace: () => clearTimeout(timer) }
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
