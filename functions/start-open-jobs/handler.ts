import { z } from 'zod'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'

/** Input of the schedule: nothing is needed. */
export const startOpenJobsEvent = z.looseObject({})

/** Each minute: jobs that were accepted and not started -> the job machine. */
export const handler = lambdaHandler({
  service: 'start-open-jobs',
  event: startOpenJobsEvent,
  run: async (_, { logger }) => (await import('./work.ts')).run(logger),
})
