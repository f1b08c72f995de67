import { z } from 'zod'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'

/** Input of the schedule: nothing is needed. */
export const fireTriggersEvent = z.looseObject({})

/** Each minute: triggers whose tables were imported, and schedules that are due -> runs of their configurations. */
export const handler = lambdaHandler({
  service: 'fire-triggers',
  event: fireTriggersEvent,
  run: async (_, { logger }) => (await import('./work.ts')).run(logger),
})
