import { z } from 'zod'

const anyObject = z.record(z.string(), z.unknown())

/** What an execution that failed says of itself: the message of its dead-letter queue, and when it began. */
export const keepDeadLetterEvent = z.object({
  /** Construct name of the machine. */
  machine: z.string().min(1),
  /** When the execution began. */
  startedAt: z.iso.datetime(),
  letter: z.object({
    version: z.literal(1),
    source: z.object({ machine: z.string().min(1), execution: z.string().min(1) }),
    input: anyObject,
    failure: z.object({ code: z.string(), message: z.string() }),
    details: anyObject,
    at: z.iso.datetime(),
    redrive: z.string(),
  }),
})

export type KeepDeadLetterEvent = z.infer<typeof keepDeadLetterEvent>
