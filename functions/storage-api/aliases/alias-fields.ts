import { z } from '@hono/zod-openapi'
import { text, textList, unlessBlank } from '../http/fields.ts'
import { oneAsList } from '../tables/row-query.ts'

const operator = z.enum(['eq', 'ne'], { error: 'This value should be eq or ne.' })

/** The filter of an alias: rows whose column has one of these values (`eq`), or none of them (`ne`). Default: `eq`. */
export const aliasFilterFields = {
  column: unlessBlank(text({ max: 255 })),
  operator: unlessBlank(operator),
  values: z.preprocess(oneAsList, textList({ max: 1_000, itemMax: 10_000 }).optional()),
}
