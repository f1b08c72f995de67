import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { tablesScratch } from '../lib/storage/tables/tables-scratch.ts'
import { runJobEvent } from './event.ts'

/** One step of the job machine: does a job of the storage service, or says how long to wait before the next try. */
export const handler = lambdaHandler({
  service: 'run-job',
  event: runJobEvent,
  keys: ({ jobId }) => ({ jobId }),
  scratchFolder: tablesScratch,
  run: async (event, { logger }) => (await import('./work.ts')).run(event, logger),
})
