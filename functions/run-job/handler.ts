import { readEnv } from '../lib/aws/env.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { engineRoom, tablesScratch } from '../lib/storage/tables/tables-scratch.ts'
import { runJobEvent } from './event.ts'

/** One step of the job machine: does a job of the storage service, or says how long to wait before the next try. */
export const handler = lambdaHandler({
  service: 'run-job',
  event: runJobEvent,
  keys: ({ jobId }) => ({ jobId }),
  scratchFolder: tablesScratch,
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const run = open(readEnv(variables, process.env), engineRoom(process.env))
    return (event, { logger, signal }) => run(event, logger, signal)
  },
})
