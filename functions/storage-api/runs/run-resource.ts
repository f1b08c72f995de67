import { z } from '@hono/zod-openapi'
import { describeFailure } from '../../lib/errors/machine-failure.ts'
import { inputOfRun, parsedJson, type RunExecution } from '../../lib/storage/runs/run-execution.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'

const result = z
  .looseObject({ rowsLoaded: z.number().catch(0).default(0), requests: z.number().catch(0).default(0) })
  .nullable()
  .catch(null)

const runStatus = {
  RUNNING: 'processing',
  SUCCEEDED: 'success',
  FAILED: 'error',
  TIMED_OUT: 'error',
  ABORTED: 'error',
} as const satisfies Record<RunExecution['status'], string>

/** The run on the wire (docs/reference/storage-api.md#runs). */
export const runResource = (run: RunExecution) => {
  const { name, status, startDate, stopDate } = run
  const output = result.parse(parsedJson(run.output))
  const isError = runStatus[status] === 'error'
  return {
    id: name,
    ...inputOfRun(run),
    status: runStatus[status],
    startTime: wireDate(startDate.toISOString()),
    endTime: stopDate === undefined ? null : wireDate(stopDate.toISOString()),
    durationSeconds: stopDate === undefined ? null : (stopDate.getTime() - startDate.getTime()) / 1000,
    rowsLoaded: output?.rowsLoaded ?? null,
    requests: output?.requests ?? null,
    results: output,
    error: isError
      ? describeFailure({
          Error: run.error ?? `extraction.${status.toLowerCase()}`,
          Cause: run.cause ?? 'The run was stopped before its end.',
        })
      : null,
  }
}
