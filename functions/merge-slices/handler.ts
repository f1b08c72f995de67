import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { answering, stepEvent, stepKeys } from '../lib/drive/step.ts'
import { readEnv } from '../lib/env.ts'

/** One step of the export machine: joins the slices of a file into one object, copying inside S3 where it can. */
export const handler = lambdaHandler({
  service: 'merge-slices',
  event: stepEvent,
  keys: stepKeys,
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const run = open(readEnv(variables, process.env))
    return answering((event, { logger }) => run(event, logger))
  },
  outcome: () => ({}),
})
