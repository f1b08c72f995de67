import { readEnv } from '../lib/aws/env.ts'
import { executionName } from '../lib/aws/execution-name.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
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
