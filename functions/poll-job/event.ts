import * as z from 'zod/mini'

/** Input of one poll: the job, and since when the machine waits for it. */
export const pollJobEvent = z.object({
  jobId: z.coerce.number().check(z.int(), z.positive()),
  /** ARN of the execution that waits. */
  execution: z.optional(z.string()),
  since: z.pipe(
    z.iso.datetime({ offset: true }),
    z.transform(text => new Date(text)),
  ),
})
