import type { RunInput } from './event.ts'
import { dropHeldRow, gone } from './held-row.ts'
import { newRow, newRun, type RunToBegin } from './new-run.ts'
import { enterPhase, enterRow, type RowOfRun, type Run } from './run.ts'
import type { Snapshot } from './run-store.ts'
import type { RunServices } from './services.ts'

interface DecisionToBegin extends RunToBegin {
  input: RunInput & { decides: string }
}

/**
 * The run that loads what another one holds back, or drops it. Its rows are those that were held, with the configuration and the
 * state that they had then.
 *
 * Error: `extractor.hold.gone`.
 */
export const beginDecision = async (
  begun: DecisionToBegin,
  { runs, work, now }: Pick<RunServices, 'runs' | 'work' | 'now'>,
): Promise<{ run: Run; snapshot: Snapshot }> => {
  const { componentId, configId, branchId, decides, decision } = begun.input
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
    ...newRun(begun, at),
    decides,
    decision,
    continueOnFailure: before.continueOnFailure,
    rows: held.map(({ row }) => decidedRow(row, decision === 'reject' ? 'rejected' : 'waiting')),
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
  ...newRow({ id, name }),
  status,
  ...(heldKey === undefined ? {} : { heldKey }),
  ...(drift === undefined ? {} : { drift }),
})
