import { z } from 'zod'
import { readEnv } from '../lib/aws/env.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'

/** Sent by the schedule of each minute: the minute that it stands for. */
export const startScheduledRunsEvent = z.object({
  time: z.iso.datetime().transform(text => new Date(text)),
})

/** Each minute: the configurations whose own schedule has become due -> runs of the extract machine. */
export const handler = lambdaHandler({
  service: 'start-scheduled-runs',
  event: startScheduledRunsEvent,
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const run = open(readEnv(variables, process.env))
    return ({ time }, { logger }) => run(time, logger)
  },
})
