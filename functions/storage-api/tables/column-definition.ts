import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import type { ColumnDefinition } from '../../lib/storage/tables/table-definition.ts'
import { flag, text } from '../http/fields.ts'

const basetypes = ['BOOLEAN', 'DATE', 'FLOAT', 'INTEGER', 'NUMERIC', 'STRING', 'TIMESTAMP'] as const

/** The fields of a request that define a column (docs/reference/storage-api.md#typed-tables). */
export const columnFields = {
  name: text({ min: 1, max: 255 }),
  definition: z
    .object({
      type: text({ min: 1, max: 100 }),
      length: text({ max: 100 }).optional(),
      nullable: flag().optional(),
      default: text({ max: 10_000 }).optional(),
    })
    .optional(),
  basetype: z.enum(basetypes, { error: `This value should be one of ${basetypes.join(', ')}.` }).optional(),
}

/** The backend's type for each base type. */
const typeOf: Record<(typeof basetypes)[number], string> = {
  BOOLEAN: 'BOOLEAN',
  DATE: 'DATE',
  FLOAT: 'FLOAT',
  INTEGER: 'NUMBER',
  NUMERIC: 'NUMBER',
  STRING: 'VARCHAR',
  TIMESTAMP: 'TIMESTAMP_LTZ',
}

const basetypeOf = (type: string): (typeof basetypes)[number] => {
  if (/BOOL/.test(type)) return 'BOOLEAN'
  if (/TIMESTAMP|DATETIME/.test(type)) return 'TIMESTAMP'
  if (type === 'DATE') return 'DATE'
  if (/FLOAT|DOUBLE|REAL/.test(type)) return 'FLOAT'
  if (/INT/.test(type)) return 'INTEGER'
  return /NUM|DEC/.test(type) ? 'NUMERIC' : 'STRING'
}

const requestedColumn = z.object(columnFields)

/** Completes a column's definition: type from base type and the reverse. Without either it is text. */
export const readColumn = ({
  name,
  definition,
  basetype,
}: z.output<typeof requestedColumn>): ColumnDefinition => {
  const type = definition?.type.toUpperCase() ?? typeOf[basetype ?? 'STRING']
  return {
    name,
    definition: {
      type,
      nullable: definition?.nullable ?? true,
      ...(definition?.length !== undefined && { length: definition.length }),
      ...(definition?.default !== undefined && { default: definition.default }),
    },
    basetype: basetype ?? basetypeOf(type),
  }
}

/** Error: 400 `storage.tables.validation.invalidPrimaryKeyColumns`. */
export const refuseUnknownKeyColumns = (primaryKey: string[], columns: string[]): void => {
  const unknown = primaryKey.filter(name => !columns.includes(name))
  if (unknown.length > 0)
    throw new UserError(
      'storage.tables.validation.invalidPrimaryKeyColumns',
      `Primary key columns "${unknown.join(', ').slice(0, 300)}" are not among the columns of the table.`,
      { params: { unknownColumns: unknown } },
    )
}
