import { z } from 'zod'

/** Sent by the schedule of each minute: the minute that it stands for. */
export const startScheduledRunsEvent = z.object({
  time: z.iso.datetime().transform(text => new Date(text)),
})
