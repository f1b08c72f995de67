import { z } from 'zod'
import type { BucketDocuments } from '../lib/cloud/bucket-documents.ts'
import type { UserError } from '../lib/errors/errors.ts'
import { type Connection, request } from '../lib/storage-client/request.ts'
import { createStorageClient, type StorageClient } from '../lib/storage-client/storage-client.ts'
import { type RunProgress, type RunState, rowResult, runFailure } from '../lib/wire/run-body.ts'

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

export const outputTable = z.object({
  tableId: z.string(),
  fileId: z.number(),
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
const runDocument = z.object({
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
  phase: z.enum(['inputs', 'leg', 'load', 'end', 'ended']),
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

type PlaceOfRun = 'rowIndex' | 'rowStartedAt' | 'phase' | 'phaseStartedAt'
type OfRow = 'checkpointKey' | 'stateKey' | 'inputs' | 'outputs'

/** The run at the beginning of a row, or at its end when there are no more. */
export const enterRow = (run: Omit<Run, PlaceOfRun | OfRow>, rowIndex: number, now: Date): Run => {
  const row = run.rows[rowIndex]
  const phase = row === undefined ? 'end' : row.hasInputs ? 'inputs' : 'leg'
  const at = now.toISOString()
  const place = { rowIndex, rowStartedAt: at, phase, phaseStartedAt: at } as const
  return { ...run, ...place, checkpointKey: null, stateKey: null, inputs: [], outputs: [] }
}

/** The current row ended: the next one follows, unless it failed and the configuration does not go on then. */
export const endRow = (run: Run, change: Partial<RowOfRun>, now: Date): Run => {
  const seconds = Math.round((now.getTime() - Date.parse(run.rowStartedAt)) / 100) / 10
  const ended = withRow(run, { ...change, seconds })
  const goesOn = change.status !== 'error' || run.continueOnFailure
  return goesOn ? enterRow(ended, run.rowIndex + 1, now) : enterStep(ended, 'end', now)
}

/** Long enough for the start of the API's reply; the document and the results stay small. */
const MAX_MESSAGE_LENGTH = 2_000

export const failureOf = ({ code, message, params }: UserError): RunFailure => ({
  code,
  message: message.slice(0, MAX_MESSAGE_LENGTH),
  ...(typeof params['job'] === 'string' ? { job: params['job'] } : {}),
  ...(typeof params['request'] === 'string'
    ? { request: params['request'].slice(0, MAX_MESSAGE_LENGTH) }
    : {}),
})

/** The run after a step failed for good: its row ends as an error, and others follow if the configuration says so. */
export const failRun = (run: Run, error: RunFailure, now: Date): Run => {
  const isInRow = run.phase !== 'end' && run.phase !== 'ended' && run.rowIndex < run.rows.length
  if (!isInRow) return enterStep({ ...run, error }, run.phase === 'ended' ? 'ended' : 'end', now)
  // What was loaded before the failure stays loaded, and stays in the results.
  const loaded = run.outputs.filter(({ isLoaded }) => isLoaded)
  const tables = loaded.map(({ tableId, rows }) => ({ tableId, rows }))
  const rowsLoaded = tables.reduce((sum, { rows }) => sum + rows, 0)
  return endRow(run, { status: 'error', error, tables, rowsLoaded, legs: currentRow(run).legs }, now)
}

/** What the rows of a run work with, as it was when the run began. Secrets are sealed in it. */
const snapshot = z.object({
  rows: z.array(
    z.object({
      /** Root and row merged. */
      configuration: z.record(z.string(), z.unknown()),
      state: z.record(z.string(), z.unknown()),
    }),
  ),
  imageParameters: z.record(z.string(), z.unknown()),
  /** Digests of the sealed values that the storage service copied into the configuration. */
  adoptedSecrets: z.array(z.string()).default([]),
})

export type Snapshot = z.infer<typeof snapshot>

export interface StoredRun {
  run: Run
  etag: string
}

/** Everything of one run lies below this prefix; a lifecycle rule removes it after some weeks. */
export const runPrefix = (runId: string): string => `runs/${runId}/`

/** Everything of the row that is under way. */
export const rowPrefix = ({ id, rowIndex }: Run): string => `${runPrefix(id)}row-${rowIndex}/`

const runKey = (runId: string) => `${runPrefix(runId)}run.json`
const snapshotKey = (runId: string) => `${runPrefix(runId)}configuration.json`

export const createRunStore = (work: BucketDocuments) => ({
  read: async (runId: string): Promise<StoredRun | undefined> => {
    const stored = await work.read(runKey(runId))
    return stored && { run: runDocument.parse(stored.value), etag: stored.etag }
  },

  /** The snapshot goes first: a run that is there can be carried out. One that never begins has none. */
  create: async (run: Run, given?: Snapshot): Promise<StoredRun> => {
    if (given !== undefined) await work.write(snapshotKey(run.id), given, 'any')
    return { run, etag: await work.write(runKey(run.id), run, 'absent') }
  },

  /** Throws `DocumentMoved` when another attempt of the step was first. */
  replace: async (stored: StoredRun, run: Run): Promise<StoredRun> => ({
    run,
    etag: await work.write(runKey(run.id), run, { etag: stored.etag }),
  }),

  snapshotOfRow: async ({ id, rowIndex }: Run) => {
    const { value } = (await work.read(snapshotKey(id))) ?? {}
    const { rows, ...ofRun } = snapshot.parse(value)
    const row = rows[rowIndex]
    if (row === undefined) throw new Error(`The snapshot of run ${id} has no row ${rowIndex}`)
    return { ...row, ...ofRun }
  },
})

export type RunStore = ReturnType<typeof createRunStore>

/** The storage service as a run uses it. No other function says how far it is. */
export interface RunStorage extends StorageClient {
  /** Throws `UserError` where the service has no such run under way, or no runs at all. Absent: nobody is told. */
  noteProgress?(runId: string, progress: RunProgress): Promise<void>
  /** That rows begin or end to be loaded. Throws `UserError` (`storage.jobs.cancelled`, `storage.jobs.ended`) where they must not be. */
  noteLoading?(runId: string, isLoading: boolean): Promise<void>
  /** That it begins, or how it has ended; repeated, it comes to the same. Throws `UserError` (`storage.jobs.ended`) where its job has ended. */
  noteState?(runId: string, state: RunState): Promise<void>
}

export const createRunStorage = (connection: Connection & { runId?: string }): RunStorage => {
  const note = async (runId: string, body: object): Promise<void> => {
    const path = `runs/${encodeURIComponent(runId)}/progress`
    await request(connection, { method: 'PUT', path, body }, z.unknown())
  }
  return {
    ...createStorageClient(connection),
    noteProgress: note,
    noteLoading: (runId, isLoading) => note(runId, { isLoading }),
    noteState: (runId, state) => note(runId, { state }),
  }
}
