import type { Slice, SliceForm } from '../files/export-slice.ts'
import type { Snapshot } from '../files/snapshot.ts'
import type { ObjectAddress } from '../files/table-files.ts'
import type { OrderBy, RowConditions } from './row-conditions.ts'

export interface ExportRequest extends RowConditions, SliceForm {
  snapshot: Snapshot
  /** In this order; default: all. */
  columns?: string[]
  /** Default: the order of the table. */
  orderBy?: OrderBy[]
  /** Default: no limit. */
  limit?: number
  /** Adds the column `_timestamp`, the time of the last change, in this zone (`UTC`, `Europe/Prague`). */
  timestampZone?: string
  /** Prefix of the slices: `<key>_0_0_<n>.csv`. */
  target: ObjectAddress
}

export interface ExportResult {
  /** In the order of the rows. At least one, which is empty when there are no rows. */
  slices: Slice[]
  rowsCount: number
}
