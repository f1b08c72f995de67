import { z } from 'zod'

const started = {
  executionArn: z.string(),
  stateMachineArn: z.string(),
  name: z.string(),
  /** The input as the caller wrote it. */
  input: z.string(),
  /** ISO 8601. */
  startDate: z.string(),
}

/** Its end is recorded, and the event of it is not delivered yet. */
const isUnannounced = z.literal(true).optional()

const ended = { ...started, stopDate: z.string() }

/** One execution, as it is kept on disk and described to callers. */
export const executionRecordSchema = z.discriminatedUnion('status', [
  z.object({ ...started, status: z.literal('RUNNING') }),
  z.object({ ...ended, status: z.literal('SUCCEEDED'), output: z.string(), isUnannounced }),
  z.object({
    ...ended,
    status: z.enum(['FAILED', 'TIMED_OUT', 'ABORTED']),
    error: z.string().optional(),
    cause: z.string().optional(),
    isUnannounced,
  }),
])
export type ExecutionRecord = z.infer<typeof executionRecordSchema>
export type RunningExecution = Extract<ExecutionRecord, { status: 'RUNNING' }>
export type EndedExecution = Exclude<ExecutionRecord, { status: 'RUNNING' }>
