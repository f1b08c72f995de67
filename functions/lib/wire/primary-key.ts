import { UserError } from '../errors/errors.ts'
import { sanitizeColumnName } from '../table-engine/csv/column-names.ts'

/** The columns of a comma list, each once. */
export const readKeyColumns = (list: string): string[] => [
  ...new Set(
    list
      .split(',')
      .map(column => column.trim())
      .filter(Boolean),
  ),
]

/** The columns of a key as a table names them, which is how a load names the headings of a file. */
export const keyNames = (columns: readonly string[]): string[] => [
  ...new Set(columns.map(column => sanitizeColumnName(column) || column)),
]

/** Ignores their order. */
const isSameKey = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every(column => other.includes(column))

interface KeyedLoad {
  tableId: string
  /** The key of the table. */
  tableKey: readonly string[]
  /** The key that the load asks for. None: any. */
  primaryKey: readonly string[]
  incremental: boolean
}

/**
 * Compares the primary key that a load asks for with the key of its table. For a full load, which replaces all rows, a
 * difference is only a warning.
 *
 * Throws `UserError` `storage.tables.primaryKeyDiffers` for an incremental load: with another key it would update other
 * rows, and without one it would add the same row again each time.
 */
export const checkKeyOfTable = ({ tableId, tableKey, primaryKey, incremental }: KeyedLoad): string[] => {
  if (primaryKey.length === 0 || isSameKey(tableKey, keyNames(primaryKey))) return []
  const has = tableKey.length === 0 ? 'no primary key' : `the primary key "${tableKey.join(', ')}"`
  const differs = `The table "${tableId}" has ${has}, not "${primaryKey.join(', ')}" as this load asks for.`
  if (!incremental) return [`${differs} The table keeps what it has.`]
  const first = tableKey.length === 0 ? '' : 'delete its key and '
  throw new UserError(
    'storage.tables.primaryKeyDiffers',
    `${differs} Nothing was loaded. To load by this key, ${first}set it (POST tables/${tableId}/primary-key, ` +
      `columns: ${JSON.stringify(primaryKey)}); to load as the table is, ask for no key.`,
    { params: { tablePrimaryKey: tableKey, primaryKey } },
  )
}
