import * as z from 'zod/mini'
import { described } from '../../lib/wire/described.ts'
import { wireDateText } from '../../lib/wire/fields.ts'

/** A branch in the OpenAPI document. */
export const branchBody = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    created: wireDateText,
    isDefault: z.boolean(),
    creatorToken: z.object({ id: z.int(), name: z.string() }),
  })
  .register(described, { name: 'Branch' })
