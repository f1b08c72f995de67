import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { sweepStorageEvent } from './event.ts'

/** Removes what nobody can use any more: expired files, and table files that nothing refers to. */
export const handler = lambdaHandler({
  service: 'sweep-storage',
  event: sweepStorageEvent,
  run: async (_, { logger }) => (await import('./work.ts')).run(logger),
})
