import {
  columnNames,
  type FieldStatistics,
  type Snapshot,
  type TableField,
  TIMESTAMP_ID,
} from '../files/snapshot.ts'
import { compareValues } from '../types/compare-values.ts'
import { readBound } from '../types/read-cell.ts'
import type { IndexedFile } from './open-files.ts'
import { type Filter, namedColumns, type OrderBy, type RowConditions } from './row-conditions.ts'
import type { WantedColumns } from './scan-files.ts'

/** The files that can hold rows that fulfil conditions, by what the table knows of their values. */
export const findFiles = (snapshot: Snapshot, conditions: RowConditions): IndexedFile[] =>
  snapshot.files
    .map((file, index) => ({ file, index }))
    .filter(({ file }) => mayHoldMatches(snapshot, conditions, id => file.statistics?.[id]))

/** What must be read to answer a question: the columns to show, to compare and to order by. */
export const neededColumns = (
  snapshot: Snapshot,
  request: RowConditions & { columns: string[]; orderBy?: OrderBy[]; timestamp?: boolean },
): WantedColumns => {
  const { columns, fulltextSearch, changedSince, changedUntil } = request
  const names = new Set([
    ...columns,
    ...namedColumns(request),
    ...(fulltextSearch === undefined ? [] : columnNames(snapshot)),
  ])
  return {
    fields: snapshot.fields.filter(({ name }) => names.has(name)),
    timestamp: request.timestamp === true || changedSince !== undefined || changedUntil !== undefined,
  }
}

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
  if (dataType !== undefined || first === undefined || known.includes(undefined)) return true
  switch (operator) {
    case 'eq':
      return known.some(value => value !== undefined && isNotBelow(value) && isNotAbove(value))
    case 'lt':
    case 'le':
      return isNotBelow(first)
    case 'gt':
    case 'ge':
      // Bounds leave NaN out, which is above all numbers.
      return isNotAbove(first) || (type === 'double' && nans !== 0)
    case 'ne':
      // Bounds leave NULL and NaN out and cut long texts, so none say that a file holds this value alone.
      return true
  }
}

const knownValue = (field: TableField, text: string): string | undefined => {
  if (field.rules === undefined) return text
  if (text === '') return undefined
  const read = readBound(text, field)
  return 'value' in read ? read.value : undefined
}
