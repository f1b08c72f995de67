import { z } from 'zod'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'

/** Sent by the schedule of each minute: the minute that it stands for. */
export const startScheduledRunsEvent = z.object({
  time: z.iso.datetime().transform(text => new Date(text)),
})

/** Each minute: the configurations whose own schedule has become due -> runs of the extract machine. */
export const handler = lambdaHandler({
  service: 'start-scheduled-runs',
  event: startScheduledRunsEvent,
  run: async ({ time }, { logger }) => (await import('./work.ts')).run(time, logger),
})
