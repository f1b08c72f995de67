import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { startScheduledRunsEvent } from './event.ts'

/** Each minute: the configurations whose own schedule has become due -> runs of the extract machine. */
export const handler = lambdaHandler({
  service: 'start-scheduled-runs',
  event: startScheduledRunsEvent,
  run: async ({ time }, { logger }) => (await import('./work.ts')).run(time, logger),
})
