import { UserError } from '#lib/errors/errors.ts'
import { columnNames } from '#lib/table-engine/files/snapshot.ts'
import { refuseColumnDelete } from '../table-columns.ts'
import type { TableHead } from '../table-record.ts'
import { tableIdOf } from '../table-store.ts'
import type { AliasRecord } from './alias-record.ts'
import type { AliasStore } from './alias-store.ts'

/** An alias with a filter or with columns of its own shows something else than its source, and has no aliases. */
export const isAliasable = ({ alias }: Pick<TableHead, 'alias'>): boolean =>
  !alias?.record.filter && !alias?.record.columns

/** Throws 400 `storage.tables.aliasingNotAllowed`. */
export const refuseAdvancedAlias = (source: TableHead): void => {
  if (!isAliasable(source))
    throw new UserError('storage.tables.aliasingNotAllowed', 'Aliasing an advanced alias is not allowed.', {
      params: { sourceTable: tableIdOf(source) },
    })
}

/**
 * Throws 400 `storage.tables.cannotDeleteReferencedColumn` when an alias shows the column or filters by it. With `force`
 * aliases that follow their source lose it too.
 */
export const refuseReferencedColumn = async (
  table: TableHead,
  column: string,
  { force, aliases }: { force: boolean; aliases: AliasStore },
): Promise<void> => {
  for (const alias of await aliases.treeOf(table)) {
    const { filter, columns } = alias
    const isNamed = filter?.column === column || columns?.includes(column) === true
    if (!isNamed && (force || columns)) continue
    throw new UserError(
      'storage.tables.cannotDeleteReferencedColumn',
      isNamed
        ? `The column "${column}" cannot be deleted: the alias "${tableIdOf(alias)}" names it. Change or delete the alias first.`
        : `The column "${column}" cannot be deleted: the alias "${tableIdOf(alias)}" shows it. With force it is deleted there too.`,
      { params: { alias: tableIdOf(alias) } },
    )
  }
}

/** Throws 400 `storage.tables.cannotRemoveReferencedColumnFromPrimaryKey` when an alias filters by a key column. */
export const refuseReferencedKey = async (table: TableHead, aliases: AliasStore): Promise<void> => {
  const { primaryKey } = table.snapshot
  if (primaryKey.length === 0) return
  const filtering = (await aliases.treeOf(table)).find(
    ({ filter }) => filter && primaryKey.includes(filter.column),
  )
  if (!filtering) return
  throw new UserError(
    'storage.tables.cannotRemoveReferencedColumnFromPrimaryKey',
    `The primary key cannot be removed: the alias "${tableIdOf(filtering)}" filters by "${filtering.filter?.column}". ` +
      'Remove the filter first.',
    { params: { alias: tableIdOf(filtering) } },
  )
}

/** Throws 404 `storage.tables.columns.notFound` for a column that the source of an alias does not have. */
const refuseUnknownSourceColumn = ({ snapshot }: Pick<TableHead, 'snapshot'>, column: string): void => {
  if (columnNames(snapshot).includes(column)) return
  throw new UserError(
    'storage.tables.columns.notFound',
    `The source table has no column "${column.slice(0, 100)}".`,
  )
}

/** Throws 400 `storage.tables.aliasHasAliases`: what an alias shows cannot change below other aliases. */
export const refuseDependents = async (
  alias: AliasRecord,
  changed: string,
  aliases: AliasStore,
): Promise<void> => {
  const dependents = await aliases.of(alias)
  if (dependents.length > 0)
    throw new UserError(
      'storage.tables.aliasHasAliases',
      `Cannot change ${changed} - table has dependent aliases`,
      { params: { aliases: dependents.map(tableIdOf) } },
    )
}

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
