import * as z from 'zod/mini'
import { described } from './fields.ts'

/** The body of every failed request (docs/reference/storage-api.md#errors). */
export const errorBody = z
  .object({
    error: z.string().register(described, { example: 'Configuration 12345 not found' }),
    code: z.optional(z.union([z.string(), z.int()]).register(described, { example: 'notFound' })),
    exceptionId: z.string().register(described, { example: 'millrace-0f5c2a7d1b3e4f6a8c9d0e1f' }),
    status: z.literal('error'),
    contextParams: z.record(z.string(), z.unknown()),
    errors: z.optional(z.array(z.object({ key: z.string(), message: z.string() }))),
  })
  .register(described, { id: 'Error' })
