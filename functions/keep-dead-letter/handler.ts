import { executionName } from '../lib/aws/execution-name.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { keepDeadLetterEvent } from './event.ts'

/** The last words of a failed execution -> an item that people list, redrive and delete. */
export const handler = lambdaHandler({
  service: 'keep-dead-letter',
  event: keepDeadLetterEvent,
  keys: ({ machine, letter }) => ({ correlationId: executionName(letter.source.execution), machine }),
  run: async event => (await import('./work.ts')).run(event),
  outcome: ({ id }) => ({ deadLetterId: id }),
})
