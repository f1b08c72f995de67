import { z } from '@hono/zod-openapi'

/** An optional field whose empty text means that it is not set, as forms send it. */
export const unlessBlank = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => (value === '' ? undefined : value), schema.optional())
