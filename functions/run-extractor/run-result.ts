import type { Decision } from '../lib/extractor/decision-name.ts'
import type { RowOfRun, Run, RunFailure } from './run.ts'

/** What a run did, as its execution and its job show it. */
export interface RunResult {
  /** `held`: the tables of a row wait for approval. */
  status: 'success' | 'error' | 'held' | 'rejected'
  componentId: string
  configId: string
  configVersion: number
  rowsLoaded: number
  requests: number
  seconds: number
  /** Of a run that carries out a decision: what was decided, and about which run. */
  decides?: string
  decision?: Decision
  rows: Omit<RowOfRun, 'hasInputs' | 'heldKey'>[]
  error?: RunFailure & { rowId?: string | null }
}

export const runResult = (run: Run, now: Date): RunResult => {
  const sum = (of: (row: RowOfRun) => number) => run.rows.reduce((total, row) => total + of(row), 0)
  const failed = run.rows.find(({ status }) => status === 'error')
  const error = failed?.error ? { rowId: failed.id, ...failed.error } : run.error
  const result: RunResult = {
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

const statusOf = ({ rows, decision }: Run): RunResult['status'] => {
  if (decision === 'reject') return 'rejected'
  return rows.some(({ status }) => status === 'held') ? 'held' : 'success'
}

/** Step Functions carries at most 256 KiB between states, and the machine carries a result twice. */
const MAX_RESULT_BYTES = 100 * 1024

/** Without what each job did, then without its tables and what changed in them, when there are too many. */
const withinLimit = (result: RunResult): RunResult => {
  const smaller = [
    result,
    { ...result, rows: result.rows.map(row => ({ ...row, jobs: [] })) },
    { ...result, rows: result.rows.map(({ drift: _, ...row }) => ({ ...row, jobs: [], tables: [] })) },
  ]
  return (
    smaller.find(one => Buffer.byteLength(JSON.stringify(one)) <= MAX_RESULT_BYTES) ?? { ...result, rows: [] }
  )
}
