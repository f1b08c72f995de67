import { z } from 'zod'

/** Input of each step of the job machine. `failure`: the step before failed for good (Step Functions, "Catch"). */
export const runJobEvent = z.object({
  jobId: z.int().positive(),
  failure: z.object({ Error: z.string(), Cause: z.string().optional() }).optional(),
})

export type RunJobEvent = z.infer<typeof runJobEvent>
