import { UserError } from '../../errors/errors.ts'
import { MAX_COLUMN_NAME_LENGTH, sanitizeColumnName } from '../../table-engine/csv/column-names.ts'
import { columnNames } from '../../table-engine/files/snapshot.ts'
import { type ColumnDefinition, definitionFor, type TableDefinition } from './table-definition.ts'
import type { TableHead } from './table-record.ts'

/** Throws 400 `storage.tables.invalidColumnName`, `storage.tables.columnAlreadyExists`. Ignores case. */
export const refuseColumn = ({ snapshot }: TableHead, name: string): void => {
  if (!isColumnName(name))
    throw new UserError(
      'storage.tables.invalidColumnName',
      `Invalid column name: '${name.slice(0, 100)}'. Only alphanumeric characters and underscores are allowed, ` +
        `underscores not at either end, at most ${MAX_COLUMN_NAME_LENGTH} characters.`,
    )
  if (columnNames(snapshot).some(column => column.toLowerCase() === name.toLowerCase()))
    throw new UserError('storage.tables.columnAlreadyExists', `The column "${name}" already exists.`)
}

/**
 * A column of a typed table by its name, and the table's definition.
 *
 * Throws 404 `storage.tables.columns.notFound`, 400 `storage.tables.validation`.
 */
export const findTypedColumn = (
  { definition, snapshot }: TableHead,
  name: string,
): { column: ColumnDefinition; definition: TableDefinition } => {
  if (!columnNames(snapshot).includes(name)) throw columnNotFound(name)
  const current = definition ? definitionFor(definition, snapshot) : undefined
  const column = current?.columns.find(each => each.name === name)
  if (current && column) return { column, definition: current }
  throw new UserError(
    'storage.tables.validation',
    'The table has no types: its columns hold any text, and have no definition to change.',
  )
}

export const columnNotFound = (name: string): UserError =>
  new UserError(
    'storage.tables.columns.notFound',
    `The column "${name.slice(0, 100)}" was not found in the table.`,
  )

/** Throws 400 `storage.tables.validation.invalidColumnName` for invalid names, and for names that occur twice. */
export const refuseInvalidColumnNames = (names: string[]): void => {
  const invalid = names.find(name => !isColumnName(name))
  const seen = new Set<string>()
  const double = names.find(name => seen.size === seen.add(name.toLowerCase()).size)
  const name = invalid ?? double
  if (name === undefined) return
  const reason =
    invalid === undefined ? 'is used for more than one column' : 'contains not allowed characters'
  throw new UserError(
    'storage.tables.validation.invalidColumnName',
    `Invalid column name: '${name.slice(0, 100)}' ${reason}.`,
  )
}

const isColumnName = (name: string): boolean =>
  name !== '' && sanitizeColumnName(name) === name && name.length <= MAX_COLUMN_NAME_LENGTH

/**
 * Throws 400 `storage.tables.validation.cannotAddColumn` for a column that needs a value where there are rows, and
 * `storage.tables.invalidDefaultValueForType` for a default of a day or a time.
 */
export const refuseTypedColumn = (
  { name: tableName, snapshot }: TableHead,
  { name, definition, basetype }: ColumnDefinition,
): void => {
  const { nullable, default: given } = definition
  if (given !== undefined && (basetype === 'DATE' || basetype === 'TIMESTAMP' || definition.type === 'TIME'))
    throw new UserError(
      'storage.tables.invalidDefaultValueForType',
      `Validation: a new column of the type ${definition.type} cannot have a default value.`,
    )
  if (!nullable && given === undefined && snapshot.rowsCount > 0)
    throw new UserError(
      'storage.tables.validation.cannotAddColumn',
      `Non-nullable column "${name}" cannot be added to non-empty table "${tableName}" unless it has a non-null default value.`,
    )
}

/** Throws 404 `storage.tables.columns.notFound`, 400 `storage.tables.cannotDeletePrimaryKeyColumn`, `…LastColumn`. */
export const refuseColumnDelete = ({ snapshot }: TableHead, name: string): void => {
  if (!columnNames(snapshot).includes(name)) throw columnNotFound(name)
  if (snapshot.primaryKey.includes(name))
    throw new UserError(
      'storage.tables.cannotDeletePrimaryKeyColumn',
      `The column "${name}" is part of the primary key. Delete the primary key first.`,
    )
  if (columnNames(snapshot).length === 1)
    throw new UserError(
      'storage.tables.cannotDeleteLastColumn',
      `The column "${name}" is the only one of the table. Delete the table instead.`,
    )
}

/** Throws 400 `storage.validation.primaryKey` for columns that cannot be a key of the table. */
export const refuseKey = ({ snapshot }: TableHead, columns: string[]): void => {
  if (columns.length === 0)
    throw new UserError('storage.validation.primaryKey', 'The primary key must name at least one column.')
  const unknown = columns.filter(column => !columnNames(snapshot).includes(column))
  if (unknown.length > 0)
    throw new UserError(
      'storage.validation.primaryKey',
      `The primary key names columns that the table does not have: ${unknown.join(', ').slice(0, 300)}.`,
    )
  if (snapshot.primaryKey.length > 0)
    throw new UserError(
      'storage.tables.primaryKeyAlreadyExists',
      `The table has the primary key ${snapshot.primaryKey.join(', ')} already. Delete it first.`,
    )
}
