import { z } from 'zod'

/** What a step threw (Step Functions, "Catch"). */
const report = z.object({ Error: z.string(), Cause: z.string().optional() })

/**
 * Input of each step of the job machine. `failure`: the step before failed for good. `startedWith`: the input of the
 * execution; with a failure it only closes the job.
 */
export const runJobEvent = z.object({
  jobId: z.int().positive(),
  failure: report.optional(),
  startedWith: z.object({ failure: report.optional() }).optional(),
})

export type RunJobEvent = z.infer<typeof runJobEvent>
