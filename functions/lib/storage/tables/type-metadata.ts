import type { Metadatum } from '../metadata/metadata-store.ts'
import { type ColumnDefinition, definitionFor } from './table-definition.ts'
import type { TableHead } from './table-record.ts'

/** The provider of metadata that the service writes itself. */
export const SERVICE_PROVIDER = 'storage'

/** More columns than a table may have, and more items than a column has. */
const ID_DIGITS = { column: 5, item: 1 }

/**
 * The metadata that say what types a table has. They follow from its definition, so they are not stored: nothing can make
 * them differ, and copies and restored tables have them at once. Empty for an untyped table.
 */
export const typeMetadata = (table: TableHead): Metadatum[] => {
  const { definition, snapshot, internalId, created: timestamp } = table
  if (!definition) return []
  const idOf = (field: number, item: number): string =>
    `${internalId}${String(field).padStart(ID_DIGITS.column, '0')}${item}`
  const common = { provider: SERVICE_PROVIDER, timestamp }
  const ids = new Map(snapshot.fields.map(({ name, id }) => [name, id]))
  const ofColumns = definitionFor(definition, snapshot).columns.flatMap(column =>
    columnItems(column).map(([key, value], index) => ({
      ...common,
      id: idOf(ids.get(column.name) ?? 0, index + 1),
      key,
      value,
      column: column.name,
    })),
  )
  return [{ ...common, id: idOf(0, 0), key: 'KBC.dataTypesEnabled', value: 'true', column: '' }, ...ofColumns]
}

const columnItems = ({ definition, basetype }: ColumnDefinition): [string, string][] => [
  ['KBC.datatype.type', definition.type],
  ['KBC.datatype.nullable', definition.nullable ? '1' : ''],
  ['KBC.datatype.basetype', basetype ?? 'STRING'],
  ...(definition.length === undefined
    ? []
    : [['KBC.datatype.length', definition.length] as [string, string]]),
  ...(definition.default === undefined
    ? []
    : [['KBC.datatype.default', definition.default] as [string, string]]),
]
