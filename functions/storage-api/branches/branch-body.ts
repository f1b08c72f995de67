import { z } from '@hono/zod-openapi'
import { wireDateText } from '../http/body-fields.ts'

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
  .openapi('Branch')
