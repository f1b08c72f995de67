import { rmSync } from 'node:fs'
import { UserError } from '../../errors/errors.ts'
import { pathInside } from '../../paths/path-inside.ts'
import { type ExtractorConfig, parseConfig } from '../config/parse-config.ts'
import { createAdmissions } from '../requests/http/admission.ts'
import { createRefreshTokens } from '../requests/http/authenticator.ts'
import { createLog, type Masker } from '../requests/masking/masker.ts'
import { createTableSinks } from '../tables/table-sink.ts'

import { type ExtractOptions, type ExtractSummary, type Leg, parseCheckpoint } from './extract-options.ts'
import { createHighWaterMarks } from './incremental.ts'
import { createRunStatistics, type JobSummary, maskSummary } from './run-statistics.ts'
import { readState, stateWithTokens } from './state.ts'
import { createStopSignal, Stopped } from './stop-signal.ts'

/** All that the parts of an extraction share, from its first leg or from a checkpoint. */
export type Extraction = Awaited<ReturnType<typeof openExtraction>>

/** Close what it returns. */
export const openExtraction = async (options: ExtractOptions, masker: Masker) => {
  const parsed = parseConfig(options.config, options.compat === undefined ? {} : { compat: options.compat })
  refuseUnsupported(parsed.file)
  const now = options.now ?? (() => Date.now() / 1000)
  const state = readState(options.state)
  const leg =
    options.checkpoint === undefined ? firstLeg(now()) : parseCheckpoint(options.checkpoint, options.config)
  for (const { credentials } of Object.values(leg.sessions)) masker.addPassing(credentials)
  const time = { previousStart: state.previousStart, currentStart: leg.currentStart }
  const log = createLog(options.log ?? (() => {}), masker, Boolean(parsed.runs[0]?.config.debug))
  const sinks = createTableSinks({
    parsed,
    spoolDir: options.spoolDir,
    state,
    saved: leg.sinks,
    warn: message => log.warning(message),
  })
  const marks = createHighWaterMarks(state.highWaterMarks, leg.marks, now)
  const refreshTokens = openRefreshTokens(state.refreshTokens, options, masker)
  const allStatistics = openStatistics(parsed, leg)
  const stop = createStopSignal({ signal: options.signal, deadline: options.deadline })
  const { abort, endGrace } = abortAfter(stop.signal, options.graceSeconds)
  const { spoolDir } = options
  const spool = {
    /** Of large answers, while they come. */
    bodies: pathInside(spoolDir, 'bodies'),
    /** Of answers that are not plain JSON, until they are in tables. */
    items: pathInside(spoolDir, 'items'),
    /** That came before a stop, and are read after it. */
    answers: pathInside(spoolDir, 'answers'),
  }
  const admissions = createAdmissions({
    api: parsed.api,
    before: leg,
    now,
    log,
    sends: stop.sends,
    wait: seconds => stop.wait(seconds, abort.signal, true),
  })
  const { traffic } = admissions
  const summary = (tables: ExtractSummary['tables']): ExtractSummary => ({
    retries: leg.retries,
    logins: leg.logins,
    jobs: allStatistics.flatMap(one => one.all()).map(job => maskSummary(job, masker)),
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
    masker,
    parsed,
    now,
    leg,
    time,
    log,
    sinks,
    marks,
    refreshTokens,
    allStatistics,
    stop,
    abort,
    spool,
    admissions,
    /** For one request alone, such as before a retry. */
    wait: (seconds: number): Promise<void> => stop.wait(seconds, abort.signal),
    summary,
    close,
  }
}

const firstLeg = (now: number): Leg => ({
  iteration: 0,
  sequences: undefined,
  statistics: [],
  marks: {},
  retries: 0,
  traffic: { requests: 0, bytes: 0, waits: 0, waitedSeconds: 0 },
  logins: 0,
  sessions: {},
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
const abortAfter = (stopped: Promise<unknown>, graceSeconds = 20) => {
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
