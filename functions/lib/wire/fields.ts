import * as z from 'zod/mini'

/** What the OpenAPI document says of a part of the wire beside its form. */
interface Description {
  /** The part is a component of the document under this name. */
  id?: string
  description?: string
  example?: unknown
  type?: 'null'
}

export const described = z.registry<Description>()

/*
 * What the service and those who talk to it agree on is declared once, in this folder: routes answer so, and the console, the
 * client and the command line read it. `reads.ts` is for answers of other servers of the same API.
 */

/** `2026-07-16T10:20:30+0000` (docs/reference/storage-api.md#requests). */
export const wireDateText = z
  .string()
  .check(z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{4}$/))
  .register(described, { example: '2026-07-16T10:20:30+0000' })

/** Who created something. The id is a number here, a text in jobs. */
export const creatorToken = z
  .object({ id: z.int(), description: z.string() })
  .register(described, { id: 'CreatorToken', example: { id: 1, description: 'Master token' } })

/** An object with any keys. */
export const anyObject = z.record(z.string(), z.unknown())

/** Always `null` here. Other services of this API have an object. */
export const noValue = z.null().register(described, { type: 'null' })

/** Always an empty list, such as the former attributes. */
export const emptyList = z.array(z.unknown()).check(z.maxLength(0))

export const codeAndMessage = z.object({ code: z.string(), message: z.string() })
