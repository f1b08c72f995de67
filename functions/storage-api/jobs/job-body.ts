import { z } from '@hono/zod-openapi'
import { anyObject, wireDateText } from '../http/body-fields.ts'

/** A job on the wire (docs/reference/storage-api.md#jobs). Poll `url` until `status` is `success` or `error`. */
export const jobBody = z
  .object({
    id: z.int(),
    status: z.enum(['waiting', 'processing', 'success', 'error']),
    url: z.string(),
    tableId: z.string().nullable(),
    operationName: z.string().openapi({ example: 'tableImport' }),
    operationParams: anyObject,
    createdTime: wireDateText,
    startTime: wireDateText.nullable(),
    endTime: wireDateText.nullable(),
    runId: z.string().nullable(),
    results: z.union([anyObject, z.array(z.unknown())]).nullable(),
    creatorToken: z.object({ id: z.string(), description: z.string() }),
    metrics: z.object({
      inCompressed: z.boolean(),
      inBytes: z.int(),
      inBytesUncompressed: z.int(),
      outCompressed: z.boolean(),
      outBytes: z.int(),
      outBytesUncompressed: z.int(),
    }),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        exceptionId: z.string(),
        contextParams: anyObject,
        uuid: z.string(),
      })
      .optional(),
  })
  .openapi('Job')
