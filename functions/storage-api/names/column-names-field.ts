import { z } from '@hono/zod-openapi'
import { listOf, text } from '../http/fields.ts'

/** Names of columns to check or to make valid. None may be blank or `null`. */
export const columnNames = listOf(
  z.preprocess(name => name ?? '', text({ min: 1, max: 10_000 })).openapi({ type: 'string' }),
)
