import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { startOpenJobsEvent } from './event.ts'

/** Each minute: jobs that were accepted and not started -> the job machine. */
export const handler = lambdaHandler({
  service: 'start-open-jobs',
  event: startOpenJobsEvent,
  run: async (_, { logger }) => (await import('./work.ts')).run(logger),
})
