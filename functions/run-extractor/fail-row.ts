import type { UserError } from '../lib/errors/errors.ts'
import { currentRow, endRow, enterStep, type Run, type RunFailure } from './run.ts'

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
