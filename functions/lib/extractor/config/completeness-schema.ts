import * as z from 'zod'
import { key, name, optional } from './fields.ts'
import { strictObject } from './strict-object.ts'

const Mode = z.enum(['warn', 'fail', 'repair'])

const Total = z.union([
  name,
  strictObject({ header: key(name, 'The header that says it; of `0-24/319` the number behind the slash.') }),
])

const shapes = [
  Mode,
  strictObject({
    mode: key(
      Mode,
      'What becomes of a run of the job that did not get all rows. `repair` reads its pages again.',
    ),
    total: key(
      optional(Total),
      'Where the API says how many rows there are: a path in the response, or a header. Without it: looked for, see below.',
    ),
    id: key(
      optional(z.union([name, z.array(name).min(1)])),
      'Paths in each item that tell the rows apart. Without it: `primaryKey`.',
    ),
  }),
] as const

/** `jobs[].completeness` (docs/reference/extractor-jobs.md#completeness). Ours. */
export const Completeness = z.union(shapes, {
  error: '"completeness" must be "warn", "fail" or "repair", or an object with "mode", "total" and "id"',
})

type Written = z.output<typeof Completeness>
type CompletenessSettings = Exclude<Written, string>

export const completenessOf = (written: Written): CompletenessSettings =>
  typeof written === 'string' ? { mode: written } : written

interface MaybeRepaired {
  completeness?: Written | undefined
  primaryKey?: readonly string[] | undefined
}

/** What a job lacks whose pages are read until two passes give the same rows. */
export const completenessProblem = ({ completeness, primaryKey = [] }: MaybeRepaired): string | undefined => {
  if (completeness === undefined) return undefined
  const { mode, id } = completenessOf(completeness)
  if (mode !== 'repair' || id !== undefined || primaryKey.length > 0) return undefined
  return '"repair" has to tell rows apart: name the "primaryKey" of the job, or "id" in "completeness"'
}
