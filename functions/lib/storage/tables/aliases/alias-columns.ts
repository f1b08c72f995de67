import { UserError } from '#lib/errors/errors.ts'
import { columnNames } from '#lib/table-engine/files/snapshot.ts'
import { refuseColumnDelete } from '../table-columns.ts'
import type { TableHead } from '../table-record.ts'
import { tableIdOf } from '../table-store.ts'
import { refuseUnknownSourceColumn } from './alias-rules.ts'

type Alias = TableHead & { alias: NonNullable<TableHead['alias']> }

/** Throws 400 `storage.tables.aliasColumnsAutoSync`: such an alias has the columns of its source, whatever they are. */
const refuseAutoSync = ({ alias: { record } }: Alias): void => {
  if (record.columns === undefined)
    throw new UserError(
      'storage.tables.aliasColumnsAutoSync',
      `The columns of the alias "${tableIdOf(record)}" follow its source table "${record.sourceTableId}". ` +
        `Change them there, or disable it first (DELETE tables/${tableIdOf(record)}/alias-columns-auto-sync).`,
    )
}

/**
 * The columns of an alias with one more of its source. Errors: `storage.tables.aliasColumnsAutoSync`,
 * `storage.tables.columnAlreadyExists`, `storage.tables.columns.notFound`.
 */
export const withAliasColumn = (table: Alias, name: string): string[] => {
  refuseAutoSync(table)
  const columns = columnNames(table.snapshot)
  if (columns.includes(name))
    throw new UserError('storage.tables.columnAlreadyExists', `The column "${name}" already exists.`)
  refuseUnknownSourceColumn(table.alias.source, name)
  return [...columns, name]
}

/**
 * The columns of an alias without this one. Errors: `storage.tables.aliasColumnsAutoSync`,
 * `storage.tables.columns.notFound`, `storage.tables.cannotDeleteLastColumn`.
 */
export const withoutAliasColumn = (table: Alias, name: string): string[] => {
  refuseAutoSync(table)
  const { snapshot } = table
  // An alias has no key of its own that would need the column.
  refuseColumnDelete({ ...table, snapshot: { ...snapshot, primaryKey: [] } }, name)
  return columnNames(snapshot).filter(column => column !== name)
}
