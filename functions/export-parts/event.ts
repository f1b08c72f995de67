import { z } from 'zod'

const jobId = z.int().positive()
/** Of the lines in the log. Absent in executions that began before 0.3. */
const correlationId = z.string().optional()
/** One of the items that the step before has answered. */
const item = z.int().nonnegative()

/** One step of an export that outgrows one function. Each may be repeated, and writes the same again. */
export const exportPartsEvent = z.discriminatedUnion('step', [
  z.object({ step: z.literal('part'), jobId, correlationId, item }),
  z.object({ step: z.literal('order'), jobId, correlationId }),
  z.object({ step: z.literal('range'), jobId, correlationId, item }),
])
export type ExportPartsEvent = z.infer<typeof exportPartsEvent>
