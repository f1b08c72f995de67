import { z } from 'zod'
import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { readEnv } from '../lib/env.ts'

/** Input of the schedule: nothing is needed. */
export const fireTriggersEvent = z.looseObject({})

/** Each minute: triggers whose tables were imported, and schedules that are due -> runs of their configurations. */
export const handler = lambdaHandler({
  service: 'fire-triggers',
  event: fireTriggersEvent,
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const run = open(readEnv(variables, process.env))
    return (_, { logger }) => run(logger)
  },
})
