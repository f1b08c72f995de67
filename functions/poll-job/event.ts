import { z } from 'zod'

/** Input of one poll: the job, and since when the machine waits for it. */
export const pollJobEvent = z.object({
  jobId: z.coerce.number().int().positive(),
  /** ARN of the execution that waits. */
  execution: z.string().optional(),
  since: z.iso.datetime({ offset: true }).transform(text => new Date(text)),
})
