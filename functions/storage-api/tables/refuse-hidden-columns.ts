import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import {
  namedColumns,
  type RowConditions,
  refuseUnknownColumns,
} from '../../lib/table-engine/rows/row-conditions.ts'
import { mayReadTable } from '../http/rights.ts'
import type { Caller } from '../services/services.ts'

/**
 * Throws 400 `storage.tables.validation.columnNotExists` for a column that an alias does not show, unless the caller may read the source:
 * whoever may choose or order rows by a column finds its values.
 */
export const refuseHiddenColumns = (
  caller: Caller,
  { alias, snapshot }: TableHead,
  query: RowConditions & { orderBy?: { column: string }[] },
): void => {
  if (!alias || mayReadTable(caller, alias.record.sourceTableId)) return
  refuseUnknownColumns(columnNames(snapshot), namedColumns(query))
}
