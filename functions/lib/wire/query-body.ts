import * as z from 'zod/mini'
import { described } from './fields.ts'

/** Formats of the file that holds a whole result. */
export const wholeFormats = ['csv', 'jsonl', 'parquet'] as const

/** Which columns of its tables a query reads, and what that counts as: their bytes as stored, and 1 MiB for each file. */
const tables = z.array(z.object({ tableId: z.string(), columns: z.array(z.string()), bytes: z.int() }))

/** Of numbers that are text and were compared by their letters. */
const warnings = z.array(z.string())

/** The rows of a query, with cells in JSON. `isTruncated`: there are more, or they did not fit into the reply. */
export const queryBody = z
  .object({
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    rows: z.array(z.array(z.unknown())),
    isTruncated: z.boolean(),
    tables,
    warnings,
  })
  .register(described, { id: 'QueryResult' })

export type QueryBody = z.infer<typeof queryBody>

/** The file of a result that was asked for in another format. */
export const queryFileBody = z
  .object({ file: z.object({ id: z.int() }), tables, warnings })
  .register(described, { id: 'QueryFile' })
