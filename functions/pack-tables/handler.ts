import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { packTablesEvent } from './event.ts'

/** Each day: large tables with many small files, or with deleted rows -> jobs that let Athena pack them. */
export const handler = lambdaHandler({
  service: 'pack-tables',
  event: packTablesEvent,
  run: async (_, { logger }) => (await import('./work.ts')).run(logger),
})
