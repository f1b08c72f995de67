import * as z from 'zod/mini'
import { described } from './described.ts'

/** Formats of a result that is sent whole, as it is made. */
export const wholeFormats = ['csv', 'jsonl', 'parquet'] as const

/** The rows of a query, with cells in JSON. `isTruncated`: there are more, or they did not fit into the reply. */
export const queryBody = z
  .object({
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    rows: z.array(z.array(z.unknown())),
    isTruncated: z.boolean(),
    tables: z.array(z.object({ tableId: z.string(), columns: z.array(z.string()), bytes: z.int() })),
  })
  .register(described, { name: 'QueryResult' })

export type QueryBody = z.infer<typeof queryBody>
