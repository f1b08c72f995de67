import { z } from 'zod'

const jobId = z.int().positive()
const queryId = z.string().min(1)

/** Input of each step of a merge: the job of the load, and the query once it is known. */
export const mergeByQueryEvent = z.discriminatedUnion('step', [
  z.object({ step: z.literal('start'), jobId }),
  z.object({ step: z.literal('check'), jobId, queryId }),
  z.object({ step: z.literal('adopt'), jobId, queryId }),
])

export type MergeByQueryEvent = z.infer<typeof mergeByQueryEvent>
