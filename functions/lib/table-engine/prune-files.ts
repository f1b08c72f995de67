import { compareText } from './parquet/compare-text.ts'
import type { Filter, RowConditions } from './row-conditions.ts'
import { type FieldStatistics, type Snapshot, TIMESTAMP_ID } from './snapshot.ts'

type Bounds = Pick<FieldStatistics, 'lower' | 'upper'>

/**
 * Whether rows within these bounds can fulfil conditions. `boundsOf`: by field id; undefined means that nothing is known
 * and any row can.
 */
export const mayHoldMatches = (
  { fields }: Pick<Snapshot, 'fields'>,
  { where = [], changedSince, changedUntil }: RowConditions,
  boundsOf: (fieldId: number) => Bounds | undefined,
): boolean => {
  const changed = boundsOf(TIMESTAMP_ID)
  if (changedSince && changed?.upper !== undefined && new Date(changed.upper) < changedSince) return false
  if (changedUntil && changed?.lower !== undefined && new Date(changed.lower) >= changedUntil) return false
  return where.every(filter => {
    const field = fields.find(({ name }) => name === filter.column)
    const bounds = field && boundsOf(field.id)
    return bounds === undefined || mayHoldValue(filter, bounds)
  })
}

/** Only comparisons as text have the order of the bounds. */
const mayHoldValue = ({ operator, values, dataType }: Filter, bounds: Bounds): boolean => {
  const [first] = values
  if (dataType !== undefined || operator === 'ne' || first === undefined) return true
  const { lower, upper } = bounds
  if (operator === 'eq') return values.some(value => mayHold(value, bounds))
  if (operator === 'gt' || operator === 'ge') return upper === undefined || compareText(upper, first) >= 0
  return lower === undefined || compareText(lower, first) <= 0
}

/** Whether a value can lie within bounds. */
const mayHold = (value: string, { lower, upper }: Bounds): boolean =>
  (lower === undefined || compareText(lower, value) <= 0) &&
  (upper === undefined || compareText(upper, value) >= 0)
