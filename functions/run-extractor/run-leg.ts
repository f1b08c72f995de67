import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'
import { UserError } from '../lib/errors/errors.ts'
import { asksConditionally } from '../lib/extractor/config/asks-conditionally.ts'
import { componentConfig } from '../lib/extractor/config/component-config.ts'
import { usesRefreshToken } from '../lib/extractor/config/uses-refresh-token.ts'
import type { ExtractOptions, ExtractResult, ExtractSummary, KeptWindows } from '../lib/extractor/extract.ts'
import type { LogRecord } from '../lib/extractor/masking/log.ts'
import { fetchAnswers, keepAnswers } from './answers-of-row.ts'
import { failureOf } from './fail-row.ts'
import { setAside } from './kept-recordings.ts'
import { createKeptTokens } from './kept-tokens.ts'
import { type LegCheckpoint, legCheckpoint } from './leg-checkpoint.ts'
import { type LegFolder, openLegFolder, restoreSpool, saveSpool } from './leg-folder.ts'
import { plainLeg, recordLeg } from './recorded-leg.ts'
import { currentRow, enterPhase, type OutputTable, type RowOfRun, type Run, withRow } from './run.ts'
import type { RunLog, RunServices, StepResult } from './services.ts'
import { outputTarget, readStorageMapping } from './storage-mapping.ts'
import { withTableIterations } from './table-iterations.ts'
import { fetchInputs, uploadTable } from './table-transfer.ts'
import { rowPrefix } from './work-store.ts'

type Finished = Pick<
  Extract<ExtractResult, { finished: true }>,
  'state' | 'tables' | 'warnings' | 'drift' | 'keptAnswers'
>
type Unfinished = Extract<ExtractResult, { finished: false }>

/** Longer than any API asks to wait: then the row will never end. */
const LONGEST_IDLE_MS = 2 * 60 * 60_000

/**
 * One time-boxed leg of a row: resumes at the last checkpoint and writes the next, or uploads the finished tables.
 *
 * May be killed at any point and run twice at once. What it writes lies under keys of its own, and counts only when the
 * run document names it: the conditional write of that document lets one attempt win.
 */
export const runLeg = async (run: Run, services: RunServices): Promise<StepResult> => {
  const { work, runs, openSecrets, scratchFolder, legSeconds, legDeadline, allowedHosts, budgets, now, log } =
    services
  const { configuration, state, imageParameters, adoptedSecrets } = await runs.snapshotOfRow(run)
  const folder = await openLegFolder(scratchFolder, `${run.id}-${run.rowIndex}`, run.checkpointKey)
  const before = await readCheckpoint(run, services)
  if (before && !folder.isAsLeft) await restoreSpool(folder.spool, before.files, work)
  await fetchInputs(run, folder.inputs, services)

  const sealed = componentConfig(configuration, imageParameters)
  const { componentId, configId } = run
  const reader = { componentId, configId, adoptedSecrets }
  // Only here, and only in memory.
  const opened = (await openSecrets(sealed, reader)) as Record<string, unknown> // maps objects to objects
  const tokens = usesRefreshToken(sealed) ? createKeptTokens(run, services.storage) : undefined
  // The service seals secrets in states as well.
  const openedState = await openSecrets((await tokens?.laidOver(state)) ?? state, reader)
  const isConditional = asksConditionally(sealed)
  if (isConditional) await fetchAnswers(run, folder.answers, services)
  let kept: KeptWindows | undefined
  const options: ExtractOptions = {
    config: await withTableIterations(opened, folder.inputs),
    state: openedState,
    ...(tokens === undefined ? {} : { keepState: tokens.keep }),
    outDir: folder.outputs,
    spoolDir: folder.spool,
    ...(before === undefined ? {} : { checkpoint: before.checkpoint }),
    deadline: Math.min(Date.now() + legSeconds * 1000, legDeadline),
    guard: true,
    allowedPrivateHosts: allowedHosts,
    budgets,
    ...(isConditional && { keptAnswers: folder.answers }),
    keepWindows: async part => {
      kept = part
    },
    log: record => writeLog(log, record),
  }
  const isRecorded = configuration['keepRecordings'] === true
  const extracted = isRecorded ? recordLeg(run, options, services) : plainLeg(options)
  const { result, recording, said } = await extracted.catch((error: unknown) => {
    if (kept === undefined) throw error
    return { result: kept, recording: undefined, said: [] }
  })
  const { summary } = result
  const counted = withRow(run, { ...countsOf(summary), legs: currentRow(run).legs + 1 })
  if (!('finished' in result) || result.finished) {
    const failed = 'failure' in result ? failRow(counted, result.failure, log) : counted
    const ended = (await tokens?.ofRow(result.state, currentRow(run).id)) ?? result.state
    return finishLeg(
      failed,
      {
        result: { ...result, state: ended as Finished['state'], warnings: [...result.warnings, ...said] },
        folder,
        configuration,
        recording,
      },
      services,
    )
  }

  const after = await saveCheckpoint({ run: counted, result, before, folder: folder.spool }, services)
  await folder.leaveAt(after)
  return {
    run: enterPhase({ ...counted, checkpointKey: after }, 'leg', now()),
    waitSeconds: result.resumeInSeconds,
  }
}

/** The row will have failed once what was kept of it is loaded. */
const failRow = (run: Run, failure: UserError, log: RunLog): Run => {
  const error = failureOf(failure)
  const { message: reason, ...details } = error
  const row = currentRow(run).id
  log.info('row failed; its windows before that are kept', { runId: run.id, row, ...details, reason })
  return withRow(run, { error })
}

const readCheckpoint = async ({ checkpointKey }: Run, { work }: RunServices) =>
  checkpointKey === null ? undefined : legCheckpoint.parse((await work.read(checkpointKey))?.value)

interface UnfinishedLeg {
  run: Run
  result: Unfinished
  before: LegCheckpoint | undefined
  folder: string
}

const saveCheckpoint = async (
  { run, result, before, folder }: UnfinishedLeg,
  { work, now }: RunServices,
): Promise<string> => {
  const pages = result.summary.jobs.reduce((sum, job) => sum + job.pages + (job.polls ?? 0), 0)
  const isIdle = before !== undefined && pages === before.pages
  const progressAt = isIdle ? before.progressAt : now().toISOString()
  if (now().getTime() - Date.parse(progressAt) > LONGEST_IDLE_MS)
    throw new UserError(
      'extractor.run.stuck',
      `The API has sent no page since ${progressAt}. The extraction was given up.`,
    )
  const prefix = `${rowPrefix(run)}leg-${currentRow(run).legs}-${randomUUID()}/`
  const files = await saveSpool(folder, before?.files ?? [], `${prefix}spool/`, work)
  const key = `${prefix}checkpoint.json`
  const checkpoint: LegCheckpoint = { checkpoint: result.checkpoint, files, pages, progressAt }
  await work.write(key, checkpoint, 'any')
  return key
}

interface FinishedLeg {
  result: Finished
  folder: LegFolder
  configuration: Record<string, unknown>
  recording: Uint8Array | undefined
}

/** Uploads the tables and keeps the new state until they are loaded. */
const finishLeg = async (
  run: Run,
  { result, folder, configuration, recording }: FinishedLeg,
  services: RunServices,
): Promise<StepResult> => {
  const { componentId, configId } = run
  const mappings = readStorageMapping(configuration).outputs
  const files = result.tables.map(({ file }) => basename(file))
  for (const { source } of mappings)
    if (!files.some(file => source === file || source === `${file}.csv`))
      services.log.warn('no such output', { source, files })

  // Every destination is known to be good before the first byte is sent.
  const targets = await Promise.all(
    result.tables.map(async table => {
      const file = basename(table.file)
      const manifest = await readManifest(table.file)
      return { table, ...outputTarget({ file, manifest, mappings, componentId, configId }) }
    }),
  )
  const outputs: OutputTable[] = []
  for (const { table, ...target } of targets) {
    const fileId = await uploadTable({ path: table.file, name: table.name }, services)
    const { columns, columnTypes, rows } = table
    const typed = columnTypes === undefined ? {} : { columnTypes }
    outputs.push({
      ...target,
      ...typed,
      fileId,
      columns,
      rows,
      isAsked: false,
      isLoaded: false,
      warnings: [],
    })
  }
  const stateKey = `${rowPrefix(run)}state-${randomUUID()}.json`
  await services.work.write(stateKey, result.state, 'any')
  const recordingKey = recording === undefined ? undefined : await setAside(run, recording, services)
  if (result.keptAnswers !== undefined) await keepAnswers(run, result.keptAnswers, services)
  await folder.remove()
  const warned = withRow(run, { warnings: result.warnings, ...driftOf(result) })
  return {
    run: enterPhase(
      { ...warned, outputs, stateKey, ...(recordingKey && { recordingKey }) },
      'load',
      services.now(),
    ),
  }
}

const manifestSchema = z.object({
  destination: z.string().optional(),
  incremental: z.boolean().default(false),
  primary_key: z.array(z.string()).default([]),
})

const readManifest = async (file: string) => {
  const { primary_key: primaryKey, ...manifest } = manifestSchema.parse(
    JSON.parse(await readFile(`${file}.manifest`, 'utf8')),
  )
  return { ...manifest, primaryKey }
}

const countsOf = (
  summary: ExtractSummary,
): Pick<RowOfRun, 'requests' | 'retries' | 'logins' | 'limitWaitSeconds' | 'unchanged' | 'jobs'> => ({
  requests: summary.jobs.reduce((sum, job) => sum + job.pages + (job.polls ?? 0), 0) + summary.retries,
  ...(summary.retries > 0 && { retries: summary.retries }),
  ...(summary.traffic.waits > 0 && { limitWaitSeconds: Math.round(summary.traffic.waitedSeconds) }),
  ...(summary.traffic.unchanged && { unchanged: summary.traffic.unchanged }),
  ...(summary.logins > 0 && { logins: summary.logins }),
  jobs: summary.jobs.slice(0, MAX_JOBS_SHOWN),
})

/** A run's document has room for so many changes; the log has all. */
const MAX_CHANGES_SHOWN = 50

const driftOf = ({ drift }: Finished): Pick<RowOfRun, 'drift'> => {
  if (drift === undefined) return {}
  const changes = drift.changes.slice(0, MAX_CHANGES_SHOWN)
  return { drift: { compared: drift.compared, changes, more: drift.changes.length - changes.length } }
}

/** With many iterations there are thousands of them; a run's document and results have room for some. */
const MAX_JOBS_SHOWN = 50

const writeLog = (log: RunLog, { level, message, context = {} }: LogRecord): void => {
  if (level === 'warning') log.warn(message, context)
  else if (level === 'error') log.error(message, context)
  else log.info(message, context)
}
