import { z } from 'zod'
import { readEnv } from '../lib/aws/env.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'

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
