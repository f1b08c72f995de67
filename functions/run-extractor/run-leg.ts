import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { z } from 'zod'
import { UserError } from '../lib/errors/errors.ts'
import { usesRefreshToken } from '../lib/extractor/config/component-config.ts'
import type { LogRecord } from '../lib/extractor/requests/masking/masker.ts'
import { type ExtractResult, type ExtractSummary, extract } from '../lib/extractor/run/extract.ts'
import type { Progress } from '../lib/extractor/run/extract-options.ts'
import { isObject } from '../lib/json/json-value.ts'
import { tellNowAndThen } from '../lib/tell-now-and-then.ts'
import {
  type LegCheckpoint,
  type LegFolder,
  legCheckpoint,
  openLegFolder,
  restoreSpool,
  saveSpool,
  uploadTable,
} from './leg-folder.ts'
import { fetchInputs, withTableIterations } from './read-inputs.ts'
import {
  currentRow,
  enterStep,
  type OutputTable,
  outputTable,
  type RowOfRun,
  type Run,
  type RunStorage,
  rowPrefix,
  withRow,
} from './run.ts'
import { openRow, type RunLog, type RunServices, type StepResult } from './services.ts'
import { outputTarget, readStorageMapping } from './storage-mapping.ts'

type Finished = Extract<ExtractResult, { finished: true }>
type Unfinished = Extract<ExtractResult, { finished: false }>

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
  const result = await extract({
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
  })
  await progress.settled()
  const row = currentRow(run)
  const counted = withRow(run, { ...countsOf(result.summary), legs: row.legs + 1 })
  if (!result.finished) {
    const checkpointKey = await saveCheckpoint({ run: counted, result, before, folder }, services)
    await folder.leaveAt(checkpointKey)
    return {
      run: enterStep({ ...counted, checkpointKey }, 'leg', now()),
      waitSeconds: result.resumeInSeconds,
    }
  }

  // Tables are the same when this leg is repeated, so those count that it has uploaded
  const uploadsKey = before?.isRead ? `${run.checkpointKey}-uploads` : undefined
  const outputs = await uploadTables(counted, { result, configuration, uploadsKey }, services)
  const stateKey = `${rowPrefix(run)}state-${randomUUID()}.json`
  await work.write(stateKey, (await tokens?.ofRow(result.state, row.id)) ?? result.state, 'any')
  // The document is not written yet: a repeat starts at `checkpointKey`.
  await folder.remove()
  const warned = withRow(counted, { warnings: result.warnings })
  return { run: enterStep({ ...warned, outputs, stateKey }, 'load', now()) }
}

interface FinishedLeg {
  result: Finished
  configuration: Record<string, unknown>
  /** Names the tables that are uploaded, for a leg that is repeated. */
  uploadsKey: string | undefined
}

/** Makes files of the service of the tables. */
const uploadTables = async (
  { componentId, configId }: Run,
  { result, configuration, uploadsKey }: FinishedLeg,
  services: RunServices,
): Promise<OutputTable[]> => {
  const { work, log } = services
  const mappings = readStorageMapping(configuration).outputs
  const files = result.tables.map(({ file }) => basename(file))
  for (const { source } of mappings)
    if (!files.some(file => source === file || source === `${file}.csv`))
      log.warn('no such output', { source, files })
  // Every destination is known to be good before the first byte is sent.
  const targets = result.tables.map(({ file, manifest }) =>
    outputTarget({ file: basename(file), manifest, mappings, componentId, configId }),
  )
  const outputs: OutputTable[] = (uploadsKey && (await work.readAs(uploadsKey, z.array(outputTable)))) || []
  for (const [index, { file, name, rows }] of result.tables.entries()) {
    const target = targets[index]
    if (target === undefined || index < outputs.length) continue
    const fileId = await uploadTable({ path: file, name }, services)
    outputs.push({ ...target, fileId, rows, isAsked: false, isLoaded: false, warnings: [] })
    if (uploadsKey !== undefined) await work.write(uploadsKey, outputs, 'any')
  }
  return outputs
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
  { work, seal }: RunServices,
): Promise<string> => {
  const prefix = `${rowPrefix(run)}leg-${currentRow(run).legs}-${randomUUID()}/`
  const files = await saveSpool(folder.spool, before?.files ?? [], `${prefix}spool/`, work)
  const key = `${prefix}checkpoint.json`
  const sealedCheckpoint = seal.seal(JSON.stringify(result.checkpoint), run.id)
  const checkpoint: LegCheckpoint = { sealedCheckpoint, files, isRead: result.isRead }
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
