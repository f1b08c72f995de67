import type { RunResults } from '../lib/wire/run-body.ts'
import type { RowOfRun, Run } from './run.ts'

export const runResult = (run: Run, now: Date): RunResults => {
  const sum = (of: (row: RowOfRun) => number) => run.rows.reduce((total, row) => total + of(row), 0)
  const failed = run.rows.find(({ status }) => status === 'error')
  const error = failed?.error ? { rowId: failed.id, ...failed.error } : run.error
  const result: RunResults = {
    status: error ? 'error' : statusOf(run),
    componentId: run.componentId,
    configId: run.configId,
    configVersion: run.configVersion,
    rowsLoaded: sum(({ rowsLoaded }) => rowsLoaded),
    requests: sum(({ requests }) => requests),
    seconds: Math.round((now.getTime() - Date.parse(run.startedAt)) / 100) / 10,
    ...(run.decides !== undefined && { decides: run.decides }),
    ...(run.decision !== undefined && { decision: run.decision }),
    rows: run.rows.map(({ hasInputs: _, heldKey: __, ...row }) => row),
    ...(error === undefined ? {} : { error }),
  }
  return withinLimit(result)
}

const statusOf = ({ rows, decision }: Run): RunResults['status'] => {
  if (decision === 'reject') return 'rejected'
  return rows.some(({ status }) => status === 'held') ? 'held' : 'success'
}

/** Step Functions carries at most 256 KiB between states, and the machine carries a result twice. */
const MAX_RESULT_BYTES = 100 * 1024

/** Without what each job did, then without its tables and what changed in them, when there are too many. */
const withinLimit = (result: RunResults): RunResults => {
  const smaller = [
    result,
    { ...result, rows: result.rows.map(row => ({ ...row, jobs: [] })) },
    { ...result, rows: result.rows.map(({ drift: _, ...row }) => ({ ...row, jobs: [], tables: [] })) },
  ]
  return (
    smaller.find(one => Buffer.byteLength(JSON.stringify(one)) <= MAX_RESULT_BYTES) ?? { ...result, rows: [] }
  )
}
