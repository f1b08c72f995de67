import { randomUUID } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { parse } from 'csv-parse'
import { z } from 'zod'
import { UserError } from '../lib/errors/errors.ts'
import { componentConfig, usesRefreshToken } from '../lib/extractor/config/component-config.ts'
import type { LogRecord } from '../lib/extractor/requests/masking/masker.ts'
import {
  type ExtractOptions,
  type ExtractResult,
  type ExtractSummary,
  extract,
} from '../lib/extractor/run/extract.ts'
import type { Progress } from '../lib/extractor/run/extract-options.ts'
import { isObject } from '../lib/json/json-value.ts'
import { isMissing } from '../lib/paths/is-missing.ts'
import { isFileName, pathInside } from '../lib/paths/path-inside.ts'
import { tellNowAndThen } from '../lib/tell-now-and-then.ts'
import { type FinishedRow, finishLeg } from './finish-leg.ts'
import {
  type LegCheckpoint,
  type LegFolder,
  legCheckpoint,
  openLegFolder,
  restoreSpool,
  saveSpool,
} from './leg-folder.ts'
import { fetchInputs } from './read-inputs.ts'
import { currentRow, enterStep, type RowOfRun, type Run, type RunStorage, rowPrefix, withRow } from './run.ts'
import type { RunLog, RunServices, StepResult } from './services.ts'

type Unfinished = Extract<ExtractResult, { finished: false }>

/** Longer than any API asks to wait: then the row will never end. */
const LONGEST_IDLE_MS = 2 * 60 * 60_000

/**
 * One time-boxed leg of a row: resumes at the last checkpoint and writes the next, or uploads the finished tables.
 *
 * May be killed at any point and run twice at once. What it writes lies under keys of its own, and counts only when the
 * run document names it: the conditional write of that document lets one attempt win. Refresh tokens alone count at once.
 */
export const runLeg = async (run: Run, services: RunServices): Promise<StepResult> => {
  const { work, seal, openSecrets, scratchFolder, legSeconds, legDeadline, stopped } = services
  const { allowedHosts, now, log } = services
  const folder = await openLegFolder(scratchFolder, `${run.id}-${run.rowIndex}`, run.checkpointKey)
  const before = await readCheckpoint(run, services)
  if (before && !folder.isAsLeft) await restoreSpool(folder.spool, before.files, work)
  if (!existsSync(folder.inputs)) await fetchInputs(run, folder.inputs, services)

  const { configuration, state, sealed, reader, opened } = await openRow(run, services)
  const tokens = usesRefreshToken(sealed) ? createKeptTokens(run, services.storage) : undefined
  // The service seals secrets in states as well.
  const openedState = await openSecrets((await tokens?.laidOver(state)) ?? state, reader)
  const progress = tellProgress(run, services.storage)
  const options: ExtractOptions = {
    config: await withTableIterations(opened, folder.inputs),
    state: openedState,
    ...(tokens === undefined ? {} : { keepState: tokens.keep }),
    outDir: folder.outputs,
    spoolDir: folder.spool,
    ...(before === undefined
      ? {}
      : { checkpoint: JSON.parse(await seal.open(before.sealedCheckpoint, run.id)) }),
    deadline: Math.min(Date.now() + legSeconds * 1000, legDeadline),
    signal: stopped,
    guard: true,
    now: () => now().getTime() / 1000,
    allowedPrivateHosts: allowedHosts,
    log: record => writeLog(log, record),
    onProgress: progress.onProgress,
  }
  const result = await extract(options)
  await progress.settled()
  const { summary } = result
  const counted = withRow(run, { ...countsOf(summary), legs: currentRow(run).legs + 1 })
  if (result.finished) {
    const ended = (await tokens?.ofRow(result.state, currentRow(run).id)) ?? result.state
    const finished = {
      result: { ...result, state: ended as FinishedRow['state'] },
      folder,
      configuration,
    }
    // Tables are the same when this leg is repeated, so those count that it has uploaded
    const uploadsKey = before?.isRead ? `${run.checkpointKey}-uploads` : undefined
    return finishLeg(counted, { ...finished, uploadsKey }, services)
  }

  const after = await saveCheckpoint({ run: counted, result, before, folder }, services)
  await folder.leaveAt(after)
  return {
    run: enterStep({ ...counted, checkpointKey: after }, 'leg', now()),
    waitSeconds: result.resumeInSeconds,
  }
}

const readCheckpoint = async ({ checkpointKey }: Run, { work }: RunServices) =>
  checkpointKey === null ? undefined : legCheckpoint.parse((await work.read(checkpointKey))?.value)

interface UnfinishedLeg {
  run: Run
  result: Unfinished
  before: LegCheckpoint | undefined
  folder: LegFolder
}

const saveCheckpoint = async (
  { run, result, before, folder }: UnfinishedLeg,
  { work, seal, now }: RunServices,
): Promise<string> => {
  const pages = result.summary.jobs.reduce((sum, job) => sum + job.pages, 0)
  const isIdle = before !== undefined && pages === before.pages
  const progressAt = isIdle ? before.progressAt : now().toISOString()
  if (now().getTime() - Date.parse(progressAt) > LONGEST_IDLE_MS)
    throw new UserError(
      'extractor.run.stuck',
      `The API has sent no page since ${progressAt}. The extraction was given up.`,
    )
  const prefix = `${rowPrefix(run)}leg-${currentRow(run).legs}-${randomUUID()}/`
  const files = await saveSpool(folder.spool, before?.files ?? [], `${prefix}spool/`, work)
  const key = `${prefix}checkpoint.json`
  const sealedCheckpoint = seal.seal(JSON.stringify(result.checkpoint), run.id)
  const checkpoint: LegCheckpoint = {
    sealedCheckpoint,
    files,
    pages,
    isRead: result.isRead,
    progressAt,
  }
  await work.write(key, checkpoint, 'any')
  return key
}

const countsOf = (
  summary: ExtractSummary,
): Pick<RowOfRun, 'requests' | 'retries' | 'logins' | 'limitWaitSeconds' | 'jobs'> => ({
  requests: summary.jobs.reduce((sum, job) => sum + job.pages, 0) + summary.retries,
  ...(summary.retries > 0 && { retries: summary.retries }),
  ...(summary.traffic.waits > 0 && { limitWaitSeconds: Math.round(summary.traffic.waitedSeconds) }),
  ...(summary.logins > 0 && { logins: summary.logins }),
  jobs: summary.jobs.slice(0, MAX_JOBS_SHOWN).map(job => ({ ...job })),
})

/** With many iterations there are thousands of them; a run's document and results have room for some. */
const MAX_JOBS_SHOWN = 50

const writeLog = (log: RunLog, { level, message, context = {} }: LogRecord): void => {
  if (level === 'warning') log.warn(message, context)
  else if (level === 'error') log.error(message, context)
  else log.info(message, context)
}

const fromTable = z.strictObject({ table: z.string().min(1) })

/** Each iteration logs in anew and is part of every checkpoint. */
const MAX_ITERATIONS = 5_000

/**
 * `parameters.iterations` may be `{ "table": "<file in in/tables>" }`: one iteration for each row of an input table, the
 * columns as attributes of `config`. A list is Generic Extractor's form and stays as it is.
 *
 * Throws `UserError` `extractor.run.iterations` when the table is not in the input mapping or has too many rows.
 */
export const withTableIterations = async (
  config: Record<string, unknown>,
  inputFolder: string,
): Promise<Record<string, unknown>> => {
  const { parameters } = config
  const given = fromTable.safeParse(isObject(parameters) ? parameters['iterations'] : undefined)
  if (!isObject(parameters) || !given.success) return config
  const iterations = await readRows(inputFolder, given.data.table)
  return { ...config, parameters: { ...parameters, iterations } }
}

const readRows = async (folder: string, table: string): Promise<unknown[]> => {
  if (!isFileName(table)) throw noSuchTable(table)
  const rows: unknown[] = []
  try {
    for await (const row of createReadStream(pathInside(folder, table)).pipe(parse({ columns: true }))) {
      if (rows.push(row) > MAX_ITERATIONS)
        throw new UserError(
          'extractor.run.iterations',
          `The table "${table}" has more than ${MAX_ITERATIONS} rows, which is too many to iterate over. Narrow it in the input mapping.`,
        )
    }
  } catch (error) {
    throw isMissing(error) ? noSuchTable(table) : error
  }
  return rows
}

const noSuchTable = (table: string) =>
  new UserError(
    'extractor.run.iterations',
    `"parameters.iterations" names the table "${table}", which is no destination of storage.input.tables.`,
  )

/**
 * Tells the storage service how far a leg has come, now and then, so that people who wait see it. Nothing depends on it: what fails is
 * left out, and a service that has no runs is asked once.
 */
export const tellProgress = (run: Run, storage: Pick<RunStorage, 'noteProgress'>, everyMs?: number) => {
  const row = currentRow(run)
  const pagesBefore = row.jobs.reduce((sum, job) => sum + job.pages, 0)
  let isWanted = storage.noteProgress !== undefined
  const told = tellNowAndThen(async ({ pages, url: _, waitedSeconds, ...counts }: Progress) => {
    try {
      await storage.noteProgress?.(run.id, {
        row: run.rowIndex + 1,
        rowsCount: run.rows.length,
        rowName: (row.name || row.id || '').slice(0, 255),
        leg: row.legs + 1,
        pages: pagesBefore + pages,
        waitedSeconds: Math.round(waitedSeconds),
        ...counts,
      })
    } catch (error) {
      // Our own service may not know the run yet; another one never will.
      isWanted = !(error instanceof UserError) || error.code === 'storage.runs.notFound'
    }
  }, everyMs)
  return {
    onProgress: (progress: Progress): void => {
      if (isWanted) told.say(progress)
    },
    settled: told.settled,
  }
}

/** What a row works with. Its secrets are open only in `opened`, and only in memory. */
export const openRow = async (run: Run, { runs, openSecrets }: Pick<RunServices, 'runs' | 'openSecrets'>) => {
  const { configuration, state, imageParameters, adoptedSecrets } = await runs.snapshotOfRow(run)
  const sealed = componentConfig(configuration, imageParameters)
  const { componentId, configId } = run
  const reader = { componentId, configId, adoptedSecrets }
  const opened = (await openSecrets(sealed, reader)) as Record<string, unknown> // maps objects to objects
  return { configuration, state, sealed, reader, opened }
}

type State = Record<string, unknown>

/**
 * Refresh tokens that took the place of configured ones lie in the state of the configuration, sealed, whatever row they
 * were given to: all rows log in with the same token. They are stored at once, since the server may have ended the one
 * before, and a run may still fail.
 */
const createKeptTokens = (
  { componentId, configId }: Pick<Run, 'componentId' | 'configId'>,
  storage: Pick<RunServices['storage'], 'configuration' | 'saveState'>,
) => {
  const rootState = async (): Promise<State> => (await storage.configuration(componentId, configId)).state
  return {
    /** The state of a row with the configuration's tokens, which other rows and legs may have replaced since. */
    laidOver: async (state: State): Promise<State> => withTokens(state, tokensOf(await rootState())),
    /** @param given a state that holds the tokens to keep */
    keep: async (given: State): Promise<void> =>
      storage.saveState({ componentId, configId }, withTokens(await rootState(), tokensOf(given))),
    /** What the row may save: its own state, with the tokens as they are sealed when it is that of the configuration. */
    ofRow: async (state: State, rowId: string | null): Promise<State> =>
      withTokens(state, rowId === null ? tokensOf(await rootState()) : undefined),
  }
}

const tokensOf = ({ millrace }: State): unknown =>
  isObject(millrace) ? millrace['refreshTokens'] : undefined

const withTokens = (state: State, tokens: unknown): State => {
  const { millrace, ...others } = state
  const { refreshTokens: _, ...own } = isObject(millrace) ? millrace : {}
  const all = { ...own, ...(tokens === undefined ? {} : { refreshTokens: tokens }) }
  return { ...others, ...(Object.keys(all).length === 0 ? {} : { millrace: all }) }
}
