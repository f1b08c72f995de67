import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { fireTriggersEvent } from './event.ts'

/** Each minute: triggers whose tables were imported -> runs of their configurations. */
export const handler = lambdaHandler({
  service: 'fire-triggers',
  event: fireTriggersEvent,
  run: async (_, { logger }) => (await import('./work.ts')).run(logger),
})
