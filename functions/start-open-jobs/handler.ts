import { z } from 'zod'
import { readEnv } from '../lib/aws/env.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'

/** Input of the schedule: nothing is needed. */
export const startOpenJobsEvent = z.looseObject({})

/** Each minute: jobs that were accepted and not started -> the job machine. */
export const handler = lambdaHandler({
  service: 'start-open-jobs',
  event: startOpenJobsEvent,
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const run = open(readEnv(variables, process.env))
    return (_, { logger }) => run(logger)
  },
})
