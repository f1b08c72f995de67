import * as z from 'zod/mini'
import { anyObject, codeAndMessage, described, wireDateText } from './fields.ts'

/** The longest list of them. Who counts failures asks for so many, so that all who count come to the same. */
export const MOST_LETTERS = 1_000

/** A dead letter on the wire (docs/reference/storage-api.md#dead-letters). */
export const deadLetterBody = z
  .object({
    id: z.string(),
    machine: z.string().register(described, { example: 'import' }),
    source: z.object({ machine: z.string(), execution: z.string() }),
    input: anyObject,
    failure: codeAndMessage,
    details: anyObject,
    created: wireDateText,
    isRedrivable: z.boolean(),
    hasNewestVersion: z.boolean(),
    redrive: z.string(),
  })
  .register(described, { id: 'DeadLetter' })

export type DeadLetterBody = z.infer<typeof deadLetterBody>

export const redrivenBody = z.object({ id: z.string(), execution: z.string() }).register(described, {
  id: 'RedrivenDeadLetter',
  description: 'The dead letter and the ARN of the execution that it became',
})

export const redrivenAllBody = z.object({
  redriven: z.array(redrivenBody),
  refused: z.array(z.object({ id: z.string(), reason: z.string() })),
  hasMore: z.boolean(),
})
