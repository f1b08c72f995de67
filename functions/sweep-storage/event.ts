import { z } from 'zod'
import { sweepKinds } from './sweep-kinds.ts'

/** Input of the schedules. */
export const sweepStorageEvent = z.strictObject({ kind: z.enum(sweepKinds) })
