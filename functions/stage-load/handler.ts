import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { tablesScratch } from '../lib/storage/tables/tables-scratch.ts'
import { stageLoadEvent } from './event.ts'

/** One step of a load that outgrows one function: a part of the work, of which nothing is visible before `run-job` commits. */
export const handler = lambdaHandler({
  service: 'stage-load',
  event: stageLoadEvent,
  keys: ({ load: { jobId, correlationId }, step }) => ({ correlationId, jobId, step }),
  scratchFolder: tablesScratch,
  run: async event => (await import('./work.ts')).run(event),
})
