import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { readEnv } from '../lib/env.ts'
import { keepRunEvent } from './event.ts'

/** An extraction begins or ends -> an item that lists of runs show. */
export const handler = lambdaHandler({
  service: 'keep-run',
  event: keepRunEvent,
  keys: ({ detail: { name } }) => ({ correlationId: name }),
  open: async () => {
    const { open, variables } = await import('./work.ts')
    return open(readEnv(variables, process.env))
  },
  outcome: ({ status }) => ({ status }),
})
