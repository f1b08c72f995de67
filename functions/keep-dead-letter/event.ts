import { z } from 'zod'

const anyObject = z.record(z.string(), z.unknown())

/** An event of Step Functions holds the input as text, and none at all when it is large. */
const inputOfEvent = z
  .union([z.string(), z.null()])
  .transform((text): unknown => JSON.parse(text === null || text === '' ? '{}' : text))
  .pipe(anyObject)

/** What an execution that failed says of itself: the message of its dead-letter queue, and when it began. */
export const keepDeadLetterEvent = z.object({
  /** Construct name of the machine. */
  machine: z.string().min(1),
  /** When the execution began; in events of Step Functions milliseconds since 1970. */
  startedAt: z.union([z.iso.datetime(), z.int().transform(ms => new Date(ms).toISOString())]),
  letter: z.object({
    version: z.literal(1),
    source: z.object({ machine: z.string().min(1), execution: z.string().min(1) }),
    input: z.union([anyObject, inputOfEvent]),
    failure: z.object({ code: z.string(), message: z.string() }),
    details: anyObject,
    at: z.iso.datetime(),
    redrive: z.string(),
  }),
})

export type KeepDeadLetterEvent = z.infer<typeof keepDeadLetterEvent>
