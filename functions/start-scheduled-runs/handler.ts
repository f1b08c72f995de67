import { z } from 'zod'
import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { readEnv } from '../lib/env.ts'

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
