import { z } from 'zod'

const jobId = z.int().positive()
/** One of the items that the step before has answered. */
const item = z.int().nonnegative()

/** One step of an export that outgrows one function. Each may be repeated, and writes the same again. */
export const exportPartsEvent = z.discriminatedUnion('step', [
  z.object({ step: z.literal('part'), jobId, item }),
  z.object({ step: z.literal('order'), jobId }),
  z.object({ step: z.literal('range'), jobId, item }),
])
export type ExportPartsEvent = z.infer<typeof exportPartsEvent>
