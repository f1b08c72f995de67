import { z } from 'zod'

/** Input of one poll: the job, and when the machine began to wait for it. */
export const pollJobEvent = z.object({
  jobId: z.coerce.number().int().positive(),
  since: z.iso.datetime({ offset: true }).transform(text => new Date(text)),
})
