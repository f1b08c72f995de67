import * as z from 'zod/mini'
import { described, wireDateText } from './fields.ts'

export const metadatumBody = z
  .object({
    id: z.string(),
    key: z.string().register(described, { example: 'KBC.description' }),
    value: z.string(),
    provider: z.optional(z.string().register(described, { example: 'user' })),
    timestamp: wireDateText,
  })
  .register(described, { id: 'Metadatum' })
