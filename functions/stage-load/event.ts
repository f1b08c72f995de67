import { z } from 'zod'
import { loadPlace } from '../lib/distributed/load-place.ts'

const load = loadPlace
/** One of the items that the step before has answered. */
const item = z.int().nonnegative()

/** One step of a load that outgrows one function. Each may be repeated, and writes the same again. */
export const stageLoadEvent = z.discriminatedUnion('step', [
  z.object({ step: z.literal('open'), load }),
  z.object({ step: z.literal('uncompress'), load, item }),
  z.object({ step: z.literal('cut'), load }),
  z.object({ step: z.literal('scan'), load, item }),
  z.object({ step: z.literal('fold'), load }),
  z.object({ step: z.literal('stage'), load, item }),
])
export type StageLoadEvent = z.infer<typeof stageLoadEvent>
