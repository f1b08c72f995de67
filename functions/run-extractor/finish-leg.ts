import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'
import type { ExtractResult } from '../lib/extractor/run/extract.ts'
import { keepAnswers } from './answers-of-row.ts'
import { setAside } from './kept-recordings.ts'
import type { LegFolder } from './leg-folder.ts'
import { enterPhase, type OutputTable, type RowOfRun, type Run, withRow } from './run.ts'
import { rowPrefix } from './run-store.ts'
import type { RunServices, StepResult } from './services.ts'
import { outputTarget, readStorageMapping } from './storage-mapping.ts'
import { uploadTable } from './upload-table.ts'

/** What is left to load of a row. */
export type FinishedRow = Pick<
  Extract<ExtractResult, { finished: true }>,
  'state' | 'tables' | 'warnings' | 'drift' | 'keptAnswers'
>

export interface FinishedLeg {
  result: FinishedRow
  folder: LegFolder
  configuration: Record<string, unknown>
  recording?: Uint8Array | undefined
  /** Of a recording that was set aside before. */
  recordingKey?: string | undefined
}

/** Uploads the tables and keeps the new state until they are loaded. */
export const finishLeg = async (
  run: Run,
  { result, folder, configuration, recording, ...others }: FinishedLeg,
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
  const recordingKey =
    recording === undefined ? others.recordingKey : await setAside(run, recording, services)
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

/** A run's document has room for so many changes; the log has all. */
const MAX_CHANGES_SHOWN = 50

export const driftOf = ({ drift }: Pick<FinishedRow, 'drift'>): Pick<RowOfRun, 'drift'> => {
  if (drift === undefined) return {}
  const changes = drift.changes.slice(0, MAX_CHANGES_SHOWN)
  return { drift: { compared: drift.compared, changes, more: drift.changes.length - changes.length } }
}
