import { createMeasure } from '../lib/cloud/create-measure.ts'
import { plural } from '../lib/plural.ts'
import type { RunResults } from '../lib/wire/run-body.ts'
import type { RowOfRun, Run } from './run.ts'
import type { CountRun, RunServices } from './services.ts'

type Services = Pick<RunServices, 'leases' | 'count' | 'now' | 'log'> & {
  storage: Pick<RunServices['storage'], 'postEvent'>
}

/** Tells how the run ended, by an event and a figure, and lets the next run of the configuration begin. */
export const endRun = async (run: Run, execution: string, services: Services): Promise<RunResults> => {
  const { leases, count, now } = services
  const result = runResult(run, now())
  const isSuccess = result.status !== 'error'
  if (run.phase !== 'ended') {
    await sendEvent(run, result, services)
    const { componentId, configId, rowsLoaded, seconds, requests } = result
    const sumOf = (figure: 'retries' | 'logins') => run.rows.reduce((sum, row) => sum + (row[figure] ?? 0), 0)
    const [retries, logins] = [sumOf('retries'), sumOf('logins')]
    count({ componentId, configId, isSuccess, rowsLoaded, seconds, requests, retries, logins })
  }
  await leases.release(run, execution)
  return result
}

const sendEvent = async (run: Run, result: RunResults, { storage, log }: Services): Promise<void> => {
  const { componentId: component, configId: configurationId, id, trigger } = run
  const { status, rowsLoaded, requests, error, seconds } = result
  const rows = result.rows.map(({ id, status, rowsLoaded, tables, warnings }) => ({
    id,
    status,
    rowsLoaded,
    tables,
    warnings,
  }))
  const hasWarnings = rows.some(({ warnings }) => warnings.length > 0)
  const event = {
    component,
    configurationId,
    type: status === 'error' ? status : hasWarnings ? ('warn' as const) : ('success' as const),
    message: messageOf(result),
    params: {
      trigger,
      authors: run.authors,
      configVersion: run.configVersion,
      ...(error === undefined ? {} : { error }),
    },
    results: { rows, rowsLoaded, requests },
    duration: seconds,
  }
  // Telling of the run must not fail it: its tables are loaded.
  await storage
    .postEvent(event, `${id}-end`)
    .catch((reason: unknown) => log.warn('event not sent', { reason: String(reason) }))
}

const messageOf = ({ rowsLoaded, requests, seconds, error }: RunResults): string =>
  error === undefined
    ? `Extraction finished: ${plural(rowsLoaded, 'row')} loaded after ${plural(requests, 'request')} in ${seconds} s.`
    : `Extraction failed${error.rowId ? ` in row ${error.rowId}` : ''}: ${error.message}`

const runResult = (run: Run, now: Date): RunResults => {
  const sum = (of: (row: RowOfRun) => number) => run.rows.reduce((total, row) => total + of(row), 0)
  const failed = run.rows.find(({ status }) => status === 'error')
  const error = failed?.error ? { rowId: failed.id, ...failed.error } : run.error
  const result: RunResults = {
    status: error ? 'error' : 'success',
    componentId: run.componentId,
    configId: run.configId,
    configVersion: run.configVersion,
    rowsLoaded: sum(({ rowsLoaded }) => rowsLoaded),
    requests: sum(({ requests }) => requests),
    seconds: Math.round((now.getTime() - Date.parse(run.startedAt)) / 100) / 10,
    rows: run.rows.map(({ hasInputs: _, ...row }) => row),
    ...(error === undefined ? {} : { error }),
  }
  return withinLimit(result)
}

/** Step Functions carries at most 256 KiB between states, and the machine carries a result twice. */
const MAX_RESULT_BYTES = 100 * 1024

/** Without what each job did, then without its tables, when there are too many. */
const withinLimit = (result: RunResults): RunResults => {
  const smaller = [
    result,
    { ...result, rows: result.rows.map(row => ({ ...row, jobs: [] })) },
    { ...result, rows: result.rows.map(row => ({ ...row, jobs: [], tables: [] })) },
  ]
  return (
    smaller.find(one => Buffer.byteLength(JSON.stringify(one)) <= MAX_RESULT_BYTES) ?? { ...result, rows: [] }
  )
}

/** What runs did, in one set of metrics for all configurations; the line in the log names the configuration. */
export const createCountRun = (): CountRun => {
  const measure = createMeasure('extraction')
  return ({ componentId, configId, isSuccess, rowsLoaded, seconds, requests, retries, logins }) =>
    measure(
      {
        ExtractionSucceeded: isSuccess ? 1 : 0,
        ExtractionFailed: isSuccess ? 0 : 1,
        ExtractionRows: rowsLoaded,
        ExtractionSeconds: seconds,
        ExtractionRequests: requests,
        ExtractionRetries: retries,
        ExtractionLogins: logins,
      },
      { properties: { component: componentId, configuration: configId } },
    )
}
