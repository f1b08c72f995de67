import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { tablesScratch } from '../lib/storage/tables/tables-scratch.ts'
import { exportPartsEvent } from './event.ts'

/** One step of an export that outgrows one function: a part of the work, of which nothing is visible before `run-job` makes the file. */
export const handler = lambdaHandler({
  service: 'export-parts',
  event: exportPartsEvent,
  keys: ({ correlationId, jobId, step }) => ({ correlationId, jobId, step }),
  scratchFolder: tablesScratch,
  run: async event => (await import('./work.ts')).run(event),
})
