import { z } from 'zod'

/** Input of the schedule: nothing is needed. */
export const packTablesEvent = z.looseObject({})
