import * as z from 'zod'
import { key, optional } from './fields.ts'
import { strictObject } from './strict-object.ts'

const DriftRule = z.enum(['note', 'warn', 'hold', 'fail'])

export type DriftRule = z.output<typeof DriftRule>

/** How far the share of empty cells of a column may move from one run to the next. */
const EMPTY_SHARE = 0.2

/** Of fewer rows a share says little. */
const MIN_ROWS = 20

/** `drift` of `config` or of a job (docs/reference/extractor-drift.md). Ours. */
export const Drift = z.union(
  [
    DriftRule,
    strictObject({
      rule: key(
        DriftRule,
        '`note`: it stands in the results. `warn`: it is a warning too. `hold`: the tables wait until somebody approves them. `fail`: the run fails, and no table is touched.',
      ),
      emptyShare: key(
        optional(z.number().min(0).max(1)),
        'How far the share of empty cells of a column may move, of 1.',
        EMPTY_SHARE,
      ),
      minRows: key(
        optional(z.int().min(1)),
        'Shares are compared when both runs have so many rows of the table.',
        MIN_ROWS,
      ),
    }),
  ],
  {
    error:
      '"drift" must be "note", "warn", "hold" or "fail", or an object with "rule", "emptyShare" and "minRows"',
  },
)

export interface DriftSettings {
  rule: DriftRule
  emptyShare: number
  minRows: number
}

export const driftOf = (written: z.output<typeof Drift>): DriftSettings => {
  const given = typeof written === 'string' ? { rule: written } : written
  return { emptyShare: EMPTY_SHARE, minRows: MIN_ROWS, ...withoutAbsent(given) }
}

const withoutAbsent = <T extends object>(given: T): T =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T // the rest of it
