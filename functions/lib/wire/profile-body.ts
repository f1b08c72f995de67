import * as z from 'zod/mini'
import { described } from './described.ts'

/** What is in each column of a table. */
export const profileBody = z
  .object({
    rowsCount: z.int(),
    profiledRowsCount: z.int(),
    isSample: z.boolean(),
    columnsCount: z.int(),
    columns: z.array(
      z.object({
        name: z.string(),
        guessedType: z.nullable(z.string()),
        distinctCount: z.int(),
        emptyCount: z.int(),
        min: z.nullable(z.string()),
        max: z.nullable(z.string()),
        topValues: z.array(z.object({ value: z.string(), count: z.int() })),
      }),
    ),
  })
  .register(described, { name: 'TableProfile' })

export type ProfileBody = z.infer<typeof profileBody>
