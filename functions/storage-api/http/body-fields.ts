import { z } from '@hono/zod-openapi'

/** `2026-07-16T10:20:30+0000` (docs/reference/storage-api.md#requests). */
export const wireDateText = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{4}$/)
  .openapi({ example: '2026-07-16T10:20:30+0000' })

/** Who created something. The id is a number here, a text in jobs. */
export const creatorToken = z
  .object({ id: z.int(), description: z.string() })
  .openapi('CreatorToken', { example: { id: 1, description: 'Master token' } })

/** An object with any keys. */
export const anyObject = z.record(z.string(), z.unknown())

/** Always `null` here. Other services of this API have an object. */
export const noValue = z.null().openapi({ type: 'null' })

/** Always an empty list, such as the former attributes. */
export const emptyList = z.array(z.unknown()).max(0)
