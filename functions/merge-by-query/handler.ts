import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { tablesScratch } from '../lib/storage/tables/tables-scratch.ts'
import { mergeByQueryEvent } from './event.ts'

/** One step of the merge of a large load: starts its query, asks for it, or adopts what it committed. */
export const handler = lambdaHandler({
  service: 'merge-by-query',
  event: mergeByQueryEvent,
  keys: ({ correlationId, jobId, step }) => ({ correlationId, jobId, step }),
  scratchFolder: tablesScratch,
  run: async event => (await import('./work.ts')).run(event),
})
