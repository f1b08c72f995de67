import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import {
  basetypeOf,
  basetypes,
  cellTypeOf,
  type NativeType,
  nativeTypeOf,
  resolveType,
} from '../../lib/storage/tables/native-types.ts'
import type { ColumnDefinition } from '../../lib/storage/tables/table-definition.ts'
import { isLoadTime, rounding } from '../../lib/table-engine/types/field-type.ts'
import { readCell } from '../../lib/table-engine/types/read-cell.ts'
import { flag, text } from '../http/fields.ts'

const defaultValue = z
  .union([z.null(), z.boolean().transform(String), text({ max: 10_000 })])
  .meta({ type: 'string', example: '0' })

const basetype = z
  .preprocess(
    value => (typeof value === 'string' ? value.toUpperCase() : value),
    z.enum(basetypes, { error: `This value should be one of ${basetypes.join(', ')}.` }),
  )
  .meta({ type: 'string', enum: [...basetypes] })

/** PHP clients send `null` for what is not set. */
const unlessNull = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => value ?? undefined, schema.optional())

/** The fields of a request that define a column (docs/reference/storage-api.md#typed-tables). */
export const columnFields = {
  name: text({ min: 1, max: 255 }),
  definition: z
    .object({
      type: text({ min: 1, max: 100 }),
      length: unlessNull(text({ max: 100 })),
      nullable: unlessNull(flag()),
      default: defaultValue.optional(),
    })
    .nullish()
    .transform(definition => definition ?? undefined),
  basetype: basetype.nullish().transform(name => name ?? undefined),
}

const requestedColumn = z.object(columnFields)

export type RequestedColumn = z.output<typeof requestedColumn>

export const hasType = ({ definition, basetype }: RequestedColumn): boolean =>
  definition !== undefined || basetype !== undefined

/**
 * Completes a column's definition: the type in its one spelling, with the length that it has. Of type and base type each
 * follows from the other; without either it is text.
 *
 * Errors: 400 `storage.tables.validation`, `storage.tables.invalidDefaultValueForType`.
 */
export const readColumn = (
  column: RequestedColumn,
  { roundsNumbers }: { roundsNumbers: boolean },
  { isKey = false }: { isKey?: boolean } = {},
): ColumnDefinition => {
  const { name, definition } = column
  const native = resolveColumn(column)
  const given = definition?.default
  const kept = given === undefined || given === null || given === '' ? undefined : given
  if (kept !== undefined) refuseDefault(native, kept, roundsNumbers)
  return {
    name,
    definition: {
      type: native.type,
      nullable: definition?.nullable ?? !isKey,
      ...(native.length !== undefined && { length: native.length }),
      ...(kept !== undefined && { default: kept }),
    },
    basetype: basetypeOf(native),
  }
}

const resolveColumn = ({ name, definition, basetype = 'STRING' }: RequestedColumn): NativeType => {
  if (definition === undefined) return nativeTypeOf(basetype)
  const native = resolveType(definition.type, definition.length)
  if ('type' in native) return native
  throw new UserError(
    'storage.tables.validation',
    `Invalid request:\n - columns[${name.slice(0, 100)}][definition]: "In the definition of the column, ${native.problem}."`,
  )
}

/** Error: 400 `storage.tables.invalidDefaultValueForType`. */
const refuseDefault = (native: NativeType, given: string, roundsNumbers: boolean): void => {
  const cell = rounding(cellTypeOf(native, { nullable: true }), roundsNumbers)
  if (native.type === 'BOOLEAN') {
    // Only the two words: a number would be read as one of them by chance.
    if (/^(true|false)$/i.test(given)) return
    throw new UserError(
      'storage.tables.invalidDefaultValueForType',
      `Boolean default value "${given.slice(0, 100)}" is not boolean.`,
    )
  }
  const isTime = cell.type.startsWith('timestamp') || cell.rules?.isTime === true
  if ((isTime && isLoadTime(given)) || 'value' in readCell(given, cell)) return
  throw new UserError(
    'storage.tables.invalidDefaultValueForType',
    'Table creation ended with a syntax exception, probably due to an invalid "default" column specification. ' +
      `Original exception is: "${given.slice(0, 100)}" is no value of the type ${native.type}.`,
  )
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
