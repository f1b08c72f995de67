import { readEnv } from '../lib/aws/env.ts'
import { executionName } from '../lib/aws/execution-name.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { mergeSlicesEvent } from './event.ts'

/** One step of the export machine: joins the slices of a file into one object, copying inside S3 where it can. */
export const handler = lambdaHandler({
  service: 'merge-slices',
  event: mergeSlicesEvent,
  keys: ({ execution, step }) => ({ correlationId: executionName(execution), step }),
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const run = open(readEnv(variables, process.env))
    return (event, { logger }) => run(event, logger)
  },
  outcome: () => ({}),
})
