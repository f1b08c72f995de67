import { z } from 'zod'

/** Input of the schedule. No field is used. */
export const sweepStorageEvent = z.looseObject({})
