import type { DescribeExecutionOutput } from '@aws-sdk/client-sfn'
import { z } from '@hono/zod-openapi'
import { describeFailure } from '../../lib/errors/machine-failure.ts'
import { defaultBranchId } from '../../lib/storage/branches/branch-store.ts'
import { wireDate } from '../../lib/storage/wire-date.ts'

/** What a run was asked to do; see `functions/run-extractor/event.ts`. Anything may stand there: people start runs too. */
const runInput = z
  .object({
    componentId: z.coerce.string(),
    configId: z.coerce.string(),
    branchId: z.int().catch(defaultBranchId).default(defaultBranchId),
    trigger: z.string().nullable().catch(null).default(null),
  })
  .catch({ componentId: '', configId: '', branchId: defaultBranchId, trigger: null })

const result = z
  .looseObject({ rowsLoaded: z.number().catch(0).default(0), requests: z.number().catch(0).default(0) })
  .nullable()
  .catch(null)

const statuses = {
  RUNNING: 'processing',
  PENDING_REDRIVE: 'processing',
  SUCCEEDED: 'success',
  FAILED: 'error',
  TIMED_OUT: 'error',
  ABORTED: 'error',
} as const

/** The run on the wire (docs/reference/storage-api.md#runs). */
export const runResource = (execution: DescribeExecutionOutput & { name: string }) => {
  const { name, status = 'RUNNING', startDate = new Date(0), stopDate } = execution
  const output = result.parse(parseJson(execution.output))
  const isError = statuses[status] === 'error'
  return {
    id: name,
    ...runInput.parse(parseJson(execution.input)),
    status: statuses[status],
    startTime: wireDate(startDate.toISOString()),
    endTime: stopDate === undefined ? null : wireDate(stopDate.toISOString()),
    durationSeconds: stopDate === undefined ? null : (stopDate.getTime() - startDate.getTime()) / 1000,
    rowsLoaded: output?.rowsLoaded ?? null,
    requests: output?.requests ?? null,
    results: output,
    error: isError
      ? describeFailure({
          Error: execution.error ?? `extraction.${status.toLowerCase()}`,
          Cause: execution.cause ?? 'The run was stopped before its end.',
        })
      : null,
  }
}

const parseJson = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
