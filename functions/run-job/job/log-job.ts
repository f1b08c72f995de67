import { z } from 'zod'
import { executionOfJob } from '../../lib/asked-wait.ts'
import { createMeasure } from '../../lib/cloud/create-measure.ts'
import type { FinalJob, JobRecord } from '../../lib/storage/jobs/job-record.ts'
import { isRun } from '../../lib/storage/jobs/job-store.ts'
import type { CountJob, RunJobServices } from './services.ts'

const counted = z
  .object({
    id: z.string().optional().catch(undefined),
    importedRowsCount: z.number().optional().catch(undefined),
    rowsCount: z.number().optional().catch(undefined),
    rowsLoaded: z.number().optional().catch(undefined),
  })
  .catch({})

/**
 * What the lines of a job share with all others of the work that it belongs to. A job that is a run of its own has the name of its
 * execution, as the functions that know nothing but the execution.
 */
export const correlationIdOf = ({ id, runId }: Pick<JobRecord, 'id' | 'runId'>): string =>
  runId === null || runId === String(id) ? executionOfJob(id) : runId

/** What a job is and belongs to. A job that makes a table names it when it has ended. */
const factsOf = (job: JobRecord) => ({
  correlationId: correlationIdOf(job),
  jobId: job.id,
  operation: job.input.operationName,
  tableId: isRun(job) ? null : (job.tableId ?? job.queueTableId),
})

export const logJobStart = (job: JobRecord, { log }: Pick<RunJobServices, 'log'>): void =>
  log.info('job started', factsOf(job))

export const createCountJob = (): CountJob => {
  const measure = createMeasure('jobs')
  return ({ operation, isSuccess, rows, bytes, seconds, waitSeconds }) =>
    measure(
      {
        JobSucceeded: isSuccess ? 1 : 0,
        JobFailed: isSuccess ? 0 : 1,
        JobRows: rows,
        JobBytes: bytes,
        JobSeconds: seconds,
        JobWaitSeconds: waitSeconds,
      },
      { dimensions: { operation } },
    )
}

/** A line and a figure for what the job did, or why it failed. */
export const logJobEnd = (job: FinalJob, { log, count }: Pick<RunJobServices, 'log' | 'count'>): void => {
  const isSuccess = job.status === 'success'
  const { importedRowsCount, rowsCount, rowsLoaded } = counted.parse(job.results)
  const rows = importedRowsCount ?? rowsLoaded ?? rowsCount
  const seconds = job.startTime === null ? 0 : (Date.parse(job.endTime) - Date.parse(job.startTime)) / 1000
  log.info('job ended', {
    ...factsOf(job),
    outcome: job.status,
    seconds,
    ...(rows !== undefined && { rows }),
    ...(job.status === 'error' && { code: job.error.code, reason: job.error.message }),
  })
  const { inBytes, outBytes } = isSuccess ? job.metrics : { inBytes: 0, outBytes: 0 }
  count({
    operation: job.input.operationName,
    isSuccess,
    rows: rows ?? 0,
    bytes: inBytes + outBytes,
    seconds,
    waitSeconds: (Date.parse(job.startTime ?? job.endTime) - Date.parse(job.createdTime)) / 1000,
  })
}
