import { z } from '@hono/zod-openapi'

/** The body of every failed request (docs/reference/storage-api.md#errors). */
export const errorBody = z
  .object({
    error: z.string().openapi({ example: 'Configuration 12345 not found' }),
    code: z.string().optional().openapi({ example: 'notFound' }),
    exceptionId: z.string().openapi({ example: 'millrace-0f5c2a7d1b3e4f6a8c9d0e1f' }),
    status: z.literal('error'),
    contextParams: z.record(z.string(), z.unknown()),
    errors: z.array(z.object({ key: z.string(), message: z.string() })).optional(),
  })
  .openapi('Error')
