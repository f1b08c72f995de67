import { readEnv } from '../lib/aws/env.ts'
import { executionName } from '../lib/aws/execution-name.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { startImportEvent } from './event.ts'

/** S3 "Object Created" -> a file in the storage service -> one asynchronous table import. */
export const handler = lambdaHandler({
  service: 'start-import',
  event: startImportEvent,
  keys: ({ event: { key, versionId }, execution, failure, move }) => ({
    correlationId: executionName(execution),
    step: failure ? 'release' : move ? 'move' : 'start',
    key,
    versionId,
  }),
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const run = open(readEnv([...variables, 'LAMBDA_TASK_ROOT'], process.env))
    return (event, { logger }) => run(event, logger)
  },
  outcome: result => ({
    outcome: result.outcome,
    ...('tableId' in result && { tableId: result.tableId, jobId: result.jobId }),
  }),
})
