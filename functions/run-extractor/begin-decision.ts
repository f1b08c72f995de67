import type { RunAuthor } from '../lib/storage/tokens/run-author.ts'
import type { Configuration } from '../lib/storage-client/storage-client.ts'
import type { RunInput } from './event.ts'
import { dropHeldRow, gone } from './held-row.ts'
import { enterPhase, enterRow, type RowOfRun, type Run } from './run.ts'
import type { RunServices } from './services.ts'
import type { Snapshot } from './work-store.ts'

interface DecisionToBegin {
  runId: string
  input: RunInput & { decides: string }
  configuration: Configuration
  author: RunAuthor
}

/**
 * The run that loads what another one holds back, or drops it. Its rows are those that were held, with the configuration and the
 * state that they had then.
 *
 * Error: `extractor.hold.gone`.
 */
export const beginDecision = async (
  { runId, input, configuration, author }: DecisionToBegin,
  { runs, work, now }: Pick<RunServices, 'runs' | 'work' | 'now'>,
): Promise<{ run: Run; snapshot: Snapshot }> => {
  const { componentId, configId, branchId, decides, decision, trigger } = input
  const before = (await runs.read(decides))?.run
  const isOfConfiguration =
    before?.componentId === componentId && before.configId === configId && before.branchId === branchId
  const held = before?.rows.flatMap((row, index) => (row.status === 'held' ? [{ row, index }] : [])) ?? []
  if (before === undefined || !isOfConfiguration || held.length === 0 || decision === undefined) throw gone()
  const units = await Promise.all(held.map(({ index }) => runs.snapshotOfRow({ ...before, rowIndex: index })))
  if (decision === 'reject')
    for (const { row } of held) if (row.heldKey !== undefined) await dropHeldRow(row.heldKey, { work })
  const at = now()
  const run: Run = {
    id: runId,
    componentId,
    configId,
    configVersion: configuration.version,
    ...(branchId !== undefined && { branchId }),
    trigger: trigger ?? null,
    author,
    decides,
    decision,
    continueOnFailure: before.continueOnFailure,
    startedAt: at.toISOString(),
    phase: 'leg',
    phaseStartedAt: at.toISOString(),
    rows: held.map(({ row }) => decidedRow(row, decision === 'reject' ? 'rejected' : 'waiting')),
    rowIndex: 0,
    rowStartedAt: at.toISOString(),
    checkpointKey: null,
    inputs: [],
    outputs: [],
    stateKey: null,
  }
  const [first] = units
  return {
    run: decision === 'reject' ? enterPhase(run, 'end', at) : enterRow(run, 0, at),
    snapshot: {
      rows: units.map(({ configuration: ofRow, state }) => ({ configuration: ofRow, state })),
      imageParameters: first?.imageParameters ?? {},
      adoptedSecrets: first?.adoptedSecrets ?? [],
    },
  }
}

const decidedRow = ({ id, name, heldKey, drift }: RowOfRun, status: RowOfRun['status']): RowOfRun => ({
  id,
  name,
  status,
  hasInputs: false,
  ...(heldKey === undefined ? {} : { heldKey }),
  ...(drift === undefined ? {} : { drift }),
  tables: [],
  rowsLoaded: 0,
  requests: 0,
  seconds: 0,
  legs: 0,
  warnings: [],
  jobs: [],
})
