import { z } from 'zod'
import { columnNames, type Snapshot } from '../../table-engine/snapshot.ts'

/** A column of a typed table, as it was declared. The service stores and shows the type; the values are text. */
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

/** The definition of a table that now has these columns and this key. */
export const definitionFor = (
  { columns }: TableDefinition,
  table: Pick<Snapshot, 'fields' | 'primaryKey'>,
): TableDefinition => {
  const known = new Map(columns.map(column => [column.name, column]))
  return {
    primaryKeysNames: table.primaryKey,
    columns: columnNames(table).map(name => known.get(name) ?? textColumn(name)),
  }
}

/** The definition of a column that an import added. */
const textColumn = (name: string): ColumnDefinition => ({
  name,
  definition: { type: 'VARCHAR', nullable: true },
  basetype: 'STRING',
})
