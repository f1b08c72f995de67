import * as z from 'zod/mini'
import { described } from './described.ts'
import { wireDateText } from './fields.ts'

const counted = z.int()

/** What began in each hour and what became of it. */
export const hoursBody = z
  .object({
    isComplete: z.boolean().register(described, {
      description: 'False: the oldest hours lack what was not read',
    }),
    hours: z.array(
      z.object({
        start: wireDateText,
        waiting: counted,
        processing: counted,
        success: counted,
        error: counted,
        imports: counted,
        exports: counted,
        runs: counted,
        others: counted,
        rowsLoaded: counted,
        bytesRead: counted,
      }),
    ),
  })
  .register(described, { name: 'HourlyStats' })

export type HoursBody = z.infer<typeof hoursBody>
