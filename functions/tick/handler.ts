import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { readEnv } from '../lib/env.ts'
import { tickEvent } from './event.ts'

/**
 * Each minute: what is due and what was left -> its start. And each execution that failed
 * -> an item that lists show.
 */
export const handler = lambdaHandler({
  service: 'tick',
  event: tickEvent,
  keys: ({ detail }) => (detail === undefined ? {} : { correlationId: detail.name }),
  open: async () => {
    const { open, variables } = await import('./work.ts')
    const tick = open(readEnv([...variables, 'LAMBDA_TASK_ROOT'], process.env))
    return (event, { logger }) => tick(event, logger)
  },
})
