import { z } from 'zod'
import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { readEnv } from '../lib/env.ts'

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
