import { type OrderBy, orderTerm, ROW_PLACE_TERMS } from '../row-conditions.ts'
import type { Snapshot } from '../snapshot.ts'
import { quoteLiteral } from '../sql.ts'

/**
 * The order of rows as one BLOB, whose bytes compare as the rows do: by these terms, then by the part of the table, the
 * file and the place in it. So it is the order of an export by one function, and no two rows have the same.
 */
export const sortKeySql = (table: Pick<Snapshot, 'fields'>, orderBy: OrderBy[], part: number): string => {
  const places = [`${part}::INTEGER`, ...ROW_PLACE_TERMS].map(value => ({ value, order: 'ASC' }))
  const terms = [...orderBy.map(orderTerm(table)), ...places]
  return `create_sort_key(${terms.map(({ value, order }) => `${value}, ${quoteLiteral(`${order} NULLS LAST`)}`).join(', ')})`
}
