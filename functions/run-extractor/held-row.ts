import { randomUUID } from 'node:crypto'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { NoSuchKey } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { UserError } from '../lib/errors/errors.ts'
import { keepAnswers } from './answers-of-row.ts'
import { driftOf, type FinishedLeg, type FinishedRow, finishLeg } from './finish-leg.ts'
import { setAside } from './kept-recordings.ts'
import { withoutTokens } from './kept-tokens.ts'
import { spooledFile } from './leg-checkpoint.ts'
import { openLegFolder, restoreSpool, saveSpool } from './leg-folder.ts'
import { currentRow, endRow, type Run, withRow } from './run.ts'
import { rowPrefix } from './run-store.ts'
import type { RunServices, StepResult } from './services.ts'

const heldRow = z.object({
  /** Tables and manifests. */
  files: z.array(spooledFile),
  /** `file` is the name of the file. */
  tables: z.array(z.looseObject({ file: z.string() })),
  state: z.record(z.string(), z.unknown()),
  warnings: z.array(z.string()),
  recordingKey: z.string().optional(),
})

/**
 * Keeps the tables of a row and the state that it has earned until somebody approves them. Nothing is loaded, and the next run
 * begins with the state as it was.
 */
export const holdRow = async (
  run: Run,
  { result, folder, recording }: FinishedLeg,
  services: RunServices,
): Promise<StepResult> => {
  const { work, now } = services
  const prefix = `${rowPrefix(run)}held-${randomUUID()}`
  const files = await saveSpool(folder.outputs, [], `${prefix}/`, work)
  const recordingKey = recording && (await setAside(run, recording, services))
  const tables = result.tables.map(table => ({ ...table, file: basename(table.file) }))
  const { state, warnings } = result
  const heldKey = `${prefix}.json`
  await work.write(heldKey, { files, tables, state, warnings, recordingKey }, 'any')
  if (result.keptAnswers !== undefined) await keepAnswers(run, result.keptAnswers, services)
  await folder.remove()
  const waits = 'The tables wait for approval: nothing of them is loaded before.'
  const ended = { status: 'held' as const, heldKey, warnings: [...warnings, waits] }
  return { run: endRow(withRow(run, driftOf(result)), ended, now()) }
}

/** Loads exactly what was held back, now that it is approved. */
export const loadHeldRow = async (run: Run, services: RunServices): Promise<StepResult> => {
  const { heldKey = '' } = currentRow(run)
  const { work, runs, scratchFolder } = services
  const held = heldRow.safeParse((await work.read(heldKey))?.value)
  if (!held.success) throw gone()
  await refuseSuperseded(run, services)
  const { files, tables, recordingKey, ...result } = held.data
  const folder = await openLegFolder(scratchFolder, `${run.id}-${run.rowIndex}`, null)
  await restoreSpool(folder.outputs, files, work).catch((error: unknown) => {
    throw error instanceof NoSuchKey ? gone() : error
  })
  const { configuration } = await runs.snapshotOfRow(run)
  const withFiles = tables.map(table => ({ ...table, file: join(folder.outputs, basename(table.file)) }))
  const finished = { ...result, tables: withFiles } as FinishedRow // as `holdRow` wrote it
  return finishLeg(run, { result: finished, folder, configuration, recordingKey }, services)
}

/** Of what is rejected nothing can be loaded any more; a lifecycle rule removes the rest. */
export const dropHeldRow = async (heldKey: string, { work }: Pick<RunServices, 'work'>): Promise<void> => {
  await work.write(heldKey, { isRejected: true }, 'any')
}

export const gone = (): UserError =>
  new UserError('extractor.hold.gone', 'The run holds no tables for approval, or not any more.')

/** What was read from a state that counts no more may be older than what the tables hold. */
const refuseSuperseded = async (run: Run, { storage, runs }: RunServices): Promise<void> => {
  const { componentId, configId } = run
  const { id: rowId } = currentRow(run)
  const { state: before } = await runs.snapshotOfRow(run)
  const { state, rows } = await storage.configuration(componentId, configId)
  const now = rowId === null ? state : rows.find(({ id }) => id === rowId)?.state
  if (now !== undefined && isDeepStrictEqual(withoutTokens(before), withoutTokens(now))) return
  throw new UserError(
    'extractor.hold.superseded',
    'The tables are not loaded: the state of the configuration has changed since they were read, by another run or by hand.',
  )
}
