import { z } from 'zod'
import { loadPlace } from '../lib/distributed/load-place.ts'

const load = loadPlace
const jobId = z.int().positive()
/** Of the lines in the log. */
const correlationId = z.string().optional()
/** One of the items that the step before has answered. */
const item = z.int().nonnegative()

/** One step of a load or of an export that outgrows one function. Each may be repeated, and writes the same again. */
export const splitWorkEvent = z.discriminatedUnion('step', [
  z.object({ step: z.literal('open'), load }),
  z.object({ step: z.literal('uncompress'), load, item }),
  z.object({ step: z.literal('cut'), load }),
  z.object({ step: z.literal('scan'), load, item }),
  z.object({ step: z.literal('fold'), load }),
  z.object({ step: z.literal('stage'), load, item }),
  z.object({ step: z.literal('part'), jobId, correlationId, item }),
])
export type SplitWorkEvent = z.infer<typeof splitWorkEvent>
