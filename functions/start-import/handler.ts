import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { answering, stepEvent, stepKeys } from '../lib/drive/step.ts'
import { readEnv } from '../lib/env.ts'
import { landedObject } from '../lib/landed-object.ts'

/** S3 "Object Created" -> a file in the storage service -> one asynchronous table import. */
export const handler = lambdaHandler({
  service: 'start-import',
  event: stepEvent,
  keys: event => {
    const { key, versionId } = landedObject.safeParse(event.input).data ?? {}
    return { ...stepKeys(event), key, versionId }
  },
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const run = open(readEnv([...variables, 'LAMBDA_TASK_ROOT'], process.env))
    return answering((event, { logger }) => run(event, logger))
  },
  outcome: answer => ({ next: answer?.next ?? 'moved' }),
})
