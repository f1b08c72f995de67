import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { keepRunEvent } from './event.ts'

/** An extraction begins or ends -> an item that lists of runs show. */
export const handler = lambdaHandler({
  service: 'keep-run',
  event: keepRunEvent,
  keys: ({ detail: { name } }) => ({ correlationId: name }),
  run: async event => (await import('./work.ts')).run(event),
  outcome: ({ status }) => ({ status }),
})
