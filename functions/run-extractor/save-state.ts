import { z } from 'zod'
import { UserError } from '../lib/errors/errors.ts'
import { currentRow, endRow, type Run } from './run.ts'
import type { RunServices, StepResult } from './services.ts'

const stateSchema = z.record(z.string(), z.unknown())

/**
 * Saves the state that the row has earned, now that its tables are loaded, and ends the row.
 */
export const saveState = async (run: Run, services: RunServices): Promise<StepResult> => {
  const { storage, work, now, log } = services
  const { id: rowId, warnings: ofLeg } = currentRow(run)
  const { componentId, configId, stateKey } = run
  if (stateKey === null) throw new Error(`The run ${run.id} has no state to save`)
  const state = stateSchema.parse((await work.read(stateKey))?.value)
  const place = { componentId, configId, ...(rowId === null ? {} : { rowId }) }
  await storage.saveState(place, state).catch((error: unknown) => {
    // Deleted while it ran: its tables are loaded, and there is nobody to remember for.
    if (!(error instanceof UserError && error.status === 404)) throw error
    log.warn('nowhere to save the state', { ...place })
  })
  const tables = run.outputs.map(({ tableId, rows, replacedRows }) => ({
    tableId,
    rows,
    ...(replacedRows && { replacedRows }),
  }))
  const rowsLoaded = tables.reduce((sum, { rows }) => sum + rows, 0)
  const warnings = [...ofLeg, ...run.outputs.flatMap(output => output.warnings)]
  return {
    run: endRow(run, { status: 'success', tables, rowsLoaded, warnings }, now()),
  }
}
