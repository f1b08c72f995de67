import * as z from 'zod'
import { safeName } from '../values/php/safe-name.ts'
import { key, name, optional } from './fields.ts'
import { strictObject } from './strict-object.ts'

const DEFAULT_COLUMN = 'is_deleted'

const shapes = [
  z.literal('column'),
  strictObject({
    mode: key(
      optional(z.enum(['column'])),
      'Only `column`: a load adds and updates rows by key, and deletes none.',
      'column',
    ),
    column: key(
      optional(name.refine(column => safeName(column) === column, 'must be a name that a column can have')),
      'The column: `1` in rows of keys that are gone, empty in all others. Letters, digits, `-` and `_`, no `_` at either end.',
      DEFAULT_COLUMN,
    ),
    whenEmpty: key(
      optional(z.enum(['keep', 'mark'])),
      'What a complete run does that reads no row at all, when earlier runs read some: `keep` marks none of them and says so, `mark` marks all.',
      'keep',
    ),
  }),
] as const

/** `jobs[].deletions` (docs/reference/extractor-jobs.md#deletions). Ours. */
export const Deletions = z.union(shapes, {
  error:
    '"deletions" must be "column" or {"column": name}: rows that are gone are marked, for a load adds and updates rows by key and deletes none',
})

export const deletionColumnOf = ({
  deletions,
}: {
  deletions?: z.output<typeof Deletions> | undefined
}): string | undefined =>
  deletions === undefined
    ? undefined
    : deletions === 'column'
      ? DEFAULT_COLUMN
      : (deletions.column ?? DEFAULT_COLUMN)

interface MaybeMarked {
  deletions?: z.output<typeof Deletions> | undefined
  primaryKey?: readonly string[] | undefined
  completeness?: unknown
}

/** What a job lacks to know which of its rows are gone. */
export const deletionsProblem = (job: MaybeMarked): string | undefined => {
  const { primaryKey = [], completeness } = job
  const column = deletionColumnOf(job)
  if (column === undefined) return undefined
  if (primaryKey.length === 0) return '"deletions" needs the "primaryKey" of the job'
  if (primaryKey.includes(column))
    return `the column "${column}" of "deletions" cannot be part of "primaryKey"`
  if (completeness === undefined)
    return '"deletions" needs "completeness": rows count as gone only after a run that got all others'
  return undefined
}
