import { z } from 'zod'
import { rowResult, runFailure } from '../lib/wire/run-body.ts'

export type RunFailure = z.infer<typeof runFailure>

const rowOfRun = z.object({
  ...rowResult.shape,
  hasInputs: z.boolean(),
})

export type RowOfRun = z.infer<typeof rowOfRun>

const inputTable = z.object({
  destination: z.string(),
  columns: z.array(z.string()),
  /** Absent: its export was not asked for yet, or nobody knows of it. */
  jobId: z.number().optional(),
  fileId: z.number().optional(),
})

const outputTable = z.object({
  tableId: z.string(),
  fileId: z.number(),
  columns: z.array(z.string()),
  primaryKey: z.array(z.string()),
  incremental: z.boolean(),
  types: z.literal('detect').optional(),
  textColumns: z.array(z.string()).optional(),
  rows: z.number(),
  /** Those of them that a later one with the same key replaced, when it is loaded. */
  replacedRows: z.number().optional(),
  /** Set before the job is asked for: whoever comes after a crash looks for the job first. */
  isAsked: z.boolean(),
  jobId: z.number().optional(),
  isLoaded: z.boolean(),
  warnings: z.array(z.string()).default([]),
})

export type OutputTable = z.infer<typeof outputTable>

/** How far a run has come. The whole of it is replaced by one conditional write for each step. */
export const runDocument = z.object({
  id: z.string(),
  componentId: z.string(),
  configId: z.string(),
  configVersion: z.number(),
  /** Absent: the default branch. */
  branchId: z.number().optional(),
  trigger: z.string().nullable(),
  /** The tokens that stored what runs or set it off: it may do what all of them may. */
  authors: z.array(z.object({ id: z.string(), description: z.string() })),
  continueOnFailure: z.boolean(),
  startedAt: z.string(),
  /** The step that is next, or `ended`. Stored under the word that documents of running executions have. */
  phase: z.enum(['inputs', 'leg', 'load', 'save', 'end', 'ended']),
  phaseStartedAt: z.string(),
  rows: z.array(rowOfRun),
  /** The row that is under way. */
  rowIndex: z.number(),
  rowStartedAt: z.string(),
  /** Key of the checkpoint that the last leg of the row left, if it was not the last. */
  checkpointKey: z.string().nullable(),
  inputs: z.array(inputTable),
  outputs: z.array(outputTable),
  /** Key of the state that the row has earned; it counts when its outputs are loaded. */
  stateKey: z.string().nullable(),
  /** Why the run itself failed, beside its rows. */
  error: z.optional(runFailure),
})

export type Run = z.infer<typeof runDocument>

export const currentRow = (run: Run): RowOfRun => {
  const row = run.rows[run.rowIndex]
  if (row === undefined) throw new Error(`The run ${run.id} has no row ${run.rowIndex}`)
  return row
}

/** The run with its current row changed. */
export const withRow = (run: Run, change: Partial<RowOfRun>): Run => ({
  ...run,
  rows: run.rows.map((row, index) => (index === run.rowIndex ? { ...row, ...change } : row)),
})

export const enterStep = (run: Run, step: Run['phase'], now: Date): Run => ({
  ...run,
  phase: step,
  phaseStartedAt: now.toISOString(),
})

/** The run at the beginning of a row, or at its end when there are no more. */
export const enterRow = (run: Run, rowIndex: number, now: Date): Run => {
  const row = run.rows[rowIndex]
  const step = row === undefined ? 'end' : row.hasInputs ? 'inputs' : 'leg'
  const clean = { rowIndex, rowStartedAt: now.toISOString(), checkpointKey: null, stateKey: null }
  return enterStep({ ...run, ...clean, inputs: [], outputs: [] }, step, now)
}

/** The current row ended: the next one follows, unless it failed and the configuration does not go on then. */
export const endRow = (run: Run, change: Partial<RowOfRun>, now: Date): Run => {
  const seconds = Math.round((now.getTime() - Date.parse(run.rowStartedAt)) / 100) / 10
  const ended = withRow(run, { ...change, seconds })
  const goesOn = change.status !== 'error' || run.continueOnFailure
  return goesOn ? enterRow(ended, run.rowIndex + 1, now) : enterStep(ended, 'end', now)
}
