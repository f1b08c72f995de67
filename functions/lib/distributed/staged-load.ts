import type { TableField, TableFile } from '../table-engine/snapshot.ts'

/** Rows of one load that the stage step has written as Parquet; nothing of them is visible yet. */
export interface StagedLoad {
  jobId: number
  tableId: string
  /**
   * The table's columns, which the staged files have by their field ids. Those of a table with a primary key have the
   * columns of `table-engine/load-order.ts` too: `_load_range` (int), then `_load_row` (long), the record's order.
   */
  fields: TableField[]
  /** Keys in the tables bucket, with statistics, in the order of the load. */
  files: TableFile[]
  /** False: replaces all rows. True: adds rows, and replaces those with the same primary key. */
  incremental: boolean
}
