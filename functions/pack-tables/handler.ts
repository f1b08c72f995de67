import { z } from 'zod'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'

/** Input of the schedule: nothing is needed. */
export const packTablesEvent = z.looseObject({})

/** Each day: large tables with many small files, or with deleted rows -> jobs that let Athena pack them. */
export const handler = lambdaHandler({
  service: 'pack-tables',
  event: packTablesEvent,
  run: async (_, { logger }) => (await import('./work.ts')).run(logger),
})
