import { z } from 'zod'
import {
  columnNames,
  isTypedTable,
  type NewField,
  type Snapshot,
  type TableField,
} from '../../table-engine/files/snapshot.ts'
import { basetypeOf, canBeFiltered, cellTypeOf, nativeTypeOfCell } from './native-types.ts'

/** A column of a typed table, as it was declared, with its type resolved. */
export const columnDefinition = z.object({
  name: z.string(),
  definition: z.object({
    type: z.string(),
    nullable: z.boolean(),
    length: z.string().optional(),
    default: z.string().optional(),
  }),
  basetype: z.string().nullable(),
})

export type ColumnDefinition = z.infer<typeof columnDefinition>

export const tableDefinition = z.object({
  primaryKeysNames: z.array(z.string()),
  columns: z.array(columnDefinition),
})

export type TableDefinition = z.infer<typeof tableDefinition>

type Columns = Pick<Snapshot, 'fields' | 'primaryKey'>

/** The definition of a table that now has these columns and this key. */
export const definitionFor = ({ columns }: TableDefinition, table: Columns): TableDefinition => {
  const known = new Map(columns.map(column => [column.name, column]))
  return {
    primaryKeysNames: table.primaryKey,
    columns: table.fields.map(field => declaredColumn(field, known.get(field.name))),
  }
}

/** The same of what was declared alone: types that a load inferred stay inferred. */
export const declaredOf = (definition: TableDefinition, table: Columns): TableDefinition => {
  const declared = new Set(definition.columns.map(({ name }) => name))
  const { columns, ...rest } = definitionFor(definition, table)
  return { ...rest, columns: columns.filter(({ name }) => declared.has(name)) }
}

/** The columns of a typed table whose types came with a load. */
export const inferredColumns = (definition: TableDefinition | undefined, table: Columns): string[] => {
  const declared = new Set(definition?.columns.map(({ name }) => name))
  return isTypedTable(table) ? columnNames(table).filter(name => !declared.has(name)) : []
}

/** What a column holds is said by its field. Its declaration says how the type is called. */
const declaredColumn = (field: TableField, declared: ColumnDefinition | undefined): ColumnDefinition => {
  const { name, rules } = field
  const isOfType = declared !== undefined && columnField(declared).type === field.type
  const { type, length } = isOfType ? declared.definition : nativeTypeOfCell(field)
  return {
    name,
    definition: {
      type,
      nullable: rules?.nullable ?? true,
      ...(length !== undefined && { length }),
      ...(rules?.default !== undefined && { default: rules.default }),
    },
    basetype: basetypeOf({ type, length }),
  }
}

/** The column of the table that a definition makes. */
export const columnField = ({ name, definition }: ColumnDefinition): NewField => {
  const { type, length, nullable, default: given } = definition
  return {
    name,
    ...cellTypeOf({ type, length }, { nullable, ...(given !== undefined && { default: given }) }),
  }
}

/** A definition on the wire: by name whatever the case, each column with its keys in this order. */
export const shownDefinition = (definition: TableDefinition, table: Columns) => {
  const { primaryKeysNames, columns } = definitionFor(definition, table)
  const lower = ({ name }: ColumnDefinition): string => name.toLowerCase()
  return {
    primaryKeysNames,
    columns: columns
      .toSorted((one, other) => (lower(one) < lower(other) ? -1 : 1))
      .map(({ name, definition: { type, nullable, length, default: given }, basetype }) => ({
        name,
        definition: {
          type,
          nullable,
          ...(length !== undefined && { length }),
          ...(given !== undefined && { default: given }),
        },
        basetype,
        canBeFiltered: canBeFiltered(type),
      })),
  }
}

/** As clients know the definition of a table without types: PHP writes an object without keys as an empty list. */
export const shownUntyped = (table: Columns) => ({
  primaryKeysNames: table.primaryKey,
  columns: columnNames(table).map(name => ({ name, definition: [] })),
})
