import type { Filter, RowConditions } from './row-conditions.ts'
import { type FieldStatistics, type Snapshot, type TableField, TIMESTAMP_ID } from './snapshot.ts'
import { compareValues } from './types/compare-values.ts'
import { readBound } from './types/read-cell.ts'

/** Undefined `nulls` or `nans`: it may hold some. */
type Bounds = Pick<FieldStatistics, 'lower' | 'upper' | 'nans'> & { nulls: number | undefined }

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
    return field === undefined || bounds === undefined || mayHoldValue(field, filter, bounds)
  })
}

/** Only comparisons by the column's own type have the order of the bounds. */
const mayHoldValue = (
  field: TableField,
  { operator, values, dataType }: Filter,
  { lower: least, upper, nulls, nans }: Bounds,
): boolean => {
  const { type } = field
  // Bounds leave nulls out. In an untyped table they are read as empty texts, and no text is less than those.
  const lower = field.rules === undefined && nulls !== 0 ? '' : least
  const isNotBelow = (value: string): boolean => lower === undefined || compareValues(type, lower, value) <= 0
  const isNotAbove = (value: string): boolean => upper === undefined || compareValues(type, upper, value) >= 0
  const known = values.map(text => knownValue(field, text))
  const [first] = known
  // What a value means is not known, or it means NULL: nothing can be said.
  if (dataType !== undefined || operator === 'ne' || first === undefined || known.includes(undefined))
    return true
  if (operator === 'eq')
    return known.some(value => value !== undefined && isNotBelow(value) && isNotAbove(value))
  if (operator === 'lt' || operator === 'le') return isNotBelow(first)
  // Bounds leave NaN out, which is above all numbers.
  return isNotAbove(first) || (type === 'double' && nans !== 0)
}

const knownValue = (field: TableField, text: string): string | undefined => {
  if (field.rules === undefined) return text
  if (text === '') return undefined
  const read = readBound(text, field)
  return 'value' in read ? read.value : undefined
}
