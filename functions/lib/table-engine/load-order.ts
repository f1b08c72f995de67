/**
 * Columns of staged files of a load with a primary key: the range of the load that a record lies in, and its place among
 * the records of the range. So whoever merges the files knows which record of a key is the last. No table has them.
 */
export const LOAD_ORDER = [
  { id: 2147483001, name: '_load_range', type: 'int' },
  { id: 2147483002, name: '_load_row', type: 'long' },
] as const

/** As SQL, for rows in order. `firstRow`: the place of the first of them. */
export const loadOrderSql = ({ range, firstRow }: { range: number; firstRow: number }): string =>
  `${range}::INTEGER AS _load_range, (${firstRow} + row_number() OVER () - 1)::BIGINT AS _load_row`
