import * as z from 'zod/mini'
import { anyObject, described, wireDateText } from './fields.ts'

export const failureOfJob = z.object({
  code: z.string(),
  message: z.string(),
  exceptionId: z.string(),
  contextParams: anyObject,
  uuid: z.string(),
})

/** A job on the wire (docs/reference/storage-api.md#jobs). Poll `url` until `status` is `success` or `error`. */
export const jobBody = z
  .object({
    id: z.int(),
    status: z.enum(['waiting', 'processing', 'success', 'error']),
    url: z.string(),
    tableId: z.nullable(z.string()),
    operationName: z.string().register(described, { example: 'tableImport' }),
    operationParams: anyObject,
    createdTime: wireDateText,
    startTime: z.nullable(wireDateText),
    endTime: z.nullable(wireDateText),
    runId: z.nullable(z.string()),
    /** Of a load that takes longer: the rows that it has read so far, and when it said so. */
    progress: z.optional(z.object({ rows: z.int(), at: wireDateText })),
    warnings: z.optional(z.array(z.string())),
    results: z.nullable(z.union([anyObject, z.array(z.unknown())])),
    creatorToken: z.object({ id: z.string(), description: z.string() }),
    metrics: z.object({
      inCompressed: z.boolean(),
      inBytes: z.int(),
      inBytesUncompressed: z.int(),
      outCompressed: z.boolean(),
      outBytes: z.int(),
      outBytesUncompressed: z.int(),
    }),
    error: z.optional(failureOfJob),
  })
  .register(described, { id: 'Job' })

export type JobBody = z.infer<typeof jobBody>
