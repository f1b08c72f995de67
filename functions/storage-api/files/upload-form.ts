import { z } from '@hono/zod-openapi'

/** For the OpenAPI document: data in the request itself, which is streamed and not read by a schema. */
export const uploadForm = z.object({
  data: z.string().openapi({ format: 'binary' }),
  name: z.string().optional(),
})
