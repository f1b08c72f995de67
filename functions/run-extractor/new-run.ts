import type { RunAuthor } from '../lib/storage/tokens/run-author.ts'
import type { Configuration } from '../lib/storage-client/storage-client.ts'
import type { RunInput } from './event.ts'
import type { RowOfRun, Run } from './run.ts'

export interface RunToBegin {
  runId: string
  input: RunInput
  /** As it was when the authors' rights were looked up: what runs, and in whose rights, belong together. */
  configuration: Configuration
  authors: RunAuthor[]
}

/** A run at its first leg, before anything is known of its rows. */
export const newRun = (
  { runId, input: { componentId, configId, branchId, trigger }, configuration, authors }: RunToBegin,
  at: Date,
): Omit<Run, 'rows' | 'continueOnFailure'> => ({
  id: runId,
  componentId,
  configId,
  configVersion: configuration.version,
  ...(branchId !== undefined && { branchId }),
  trigger: trigger ?? null,
  authors,
  startedAt: at.toISOString(),
  phase: 'leg',
  phaseStartedAt: at.toISOString(),
  rowIndex: 0,
  rowStartedAt: at.toISOString(),
  checkpointKey: null,
  inputs: [],
  outputs: [],
  stateKey: null,
})

/** A row that has done nothing yet. */
export const newRow = ({ id, name }: Pick<RowOfRun, 'id' | 'name'>): RowOfRun => ({
  id,
  name,
  status: 'waiting',
  hasInputs: false,
  tables: [],
  rowsLoaded: 0,
  requests: 0,
  seconds: 0,
  legs: 0,
  warnings: [],
  jobs: [],
})
