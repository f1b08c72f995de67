/**
 * Columns of staged files of a load with a primary key: the range of the load that a record lies in, and its place among
 * the records of the range. So whoever merges the files knows which record of a key is the last. No table has them.
 */
export const LOAD_ORDER = [
  { id: 2147483001, name: '_load_range', type: 'long' },
  { id: 2147483002, name: '_load_row', type: 'long' },
] as const
