import { z } from 'zod'

const jobId = z.int().positive()
/** Of the lines in the log. Absent in executions that began before 0.3. */
const correlationId = z.string().optional()
const queryId = z.string().min(1)

/** Input of each step of a merge: the job of the load, and the query once it is known. */
export const mergeByQueryEvent = z.discriminatedUnion('step', [
  z.object({ step: z.literal('start'), jobId, correlationId }),
  z.object({ step: z.literal('check'), jobId, correlationId, queryId }),
  z.object({ step: z.literal('adopt'), jobId, correlationId, queryId }),
])

export type MergeByQueryEvent = z.infer<typeof mergeByQueryEvent>
