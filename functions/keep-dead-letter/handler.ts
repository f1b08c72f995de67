import { executionName } from '../lib/cloud/execution-name.ts'
import { lambdaHandler } from '../lib/cloud/lambda-handler.ts'
import { readEnv } from '../lib/env.ts'
import { keepDeadLetterEvent } from './event.ts'

/** The last words of a failed execution -> an item that people list, redrive and delete. */
export const handler = lambdaHandler({
  service: 'keep-dead-letter',
  event: keepDeadLetterEvent,
  keys: ({ machine, letter }) => ({ correlationId: executionName(letter.source.execution), machine }),
  open: async () => {
    const { open, variables } = await import('./work.ts')
    return open(readEnv(variables, process.env))
  },
  outcome: ({ id }) => ({ deadLetterId: id }),
})
