import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { type RowConditions, refuseUnknownColumns } from '../../lib/table-engine/row-conditions.ts'
import { columnNames } from '../../lib/table-engine/snapshot.ts'
import type { Caller } from '../http/authenticate.ts'
import { mayReadTable } from '../http/rights.ts'

/**
 * Throws 400 `storage.tables.validation.columnNotExists` for a column that an alias does not show, unless the caller may read the source:
 * whoever may choose or order rows by a column finds its values.
 */
export const refuseHiddenColumns = (
  caller: Caller,
  { alias, snapshot }: TableHead,
  { where = [], orderBy = [] }: RowConditions & { orderBy?: { column: string }[] },
): void => {
  if (!alias || mayReadTable(caller, alias.record.sourceTableId)) return
  const named = [...where, ...orderBy].map(({ column }) => column)
  refuseUnknownColumns(columnNames(snapshot), named)
}
