import { columnNames, type Snapshot } from '#lib/table-engine/files/snapshot.ts'
import {
  type RowConditions,
  refuseUnknownColumns,
  refuseUnknownConditions,
} from '#lib/table-engine/rows/row-conditions.ts'
import type { TableHead } from '../table-record.ts'
import { isAliased, type ReadableTable } from './resolve-alias.ts'

interface RowQuery extends RowConditions {
  columns?: string[]
  orderBy?: { column: string }[]
}

/**
 * The question to the table engine for rows of a table. For an alias it is about the table that holds the rows, with the
 * filters of the alias beside those asked for, and with the columns that the alias shows.
 *
 * Error: 400 `storage.tables.validation.columnNotExists`.
 */
export const rowSource = <Query extends RowQuery>(
  table: ReadableTable,
  query: Query,
): { snapshot: Snapshot; query: Query } => {
  if (!isAliased(table)) return { snapshot: table.snapshot, query }
  refuseUnknownQueryColumns(table, query)
  const { root, filters } = table.alias
  const shown = columnNames(table.snapshot)
  const where = [...filters, ...(query.where ?? [])]
  const columns = query.columns && query.columns.length > 0 ? query.columns : shown
  return { snapshot: root.snapshot, query: { ...query, columns, where, searchedColumns: shown } }
}

/** Whoever may read the source may also choose and order by its columns that an alias does not show (`refuseHiddenColumns`). */
export const refuseUnknownQueryColumns = (table: TableHead, query: RowQuery): void => {
  refuseUnknownColumns(columnNames(table.snapshot), query.columns ?? [])
  const { snapshot } = table.alias?.root ?? table
  refuseUnknownConditions(columnNames(snapshot), query)
}
