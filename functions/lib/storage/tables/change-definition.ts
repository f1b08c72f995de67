import { z } from 'zod'
import { UserError } from '../../errors/errors.ts'
import { decimalOf } from '../../iceberg/metadata/types.ts'
import { isLoadTime, rounding } from '../../table-engine/types/field-type.ts'
import { readCell } from '../../table-engine/types/read-cell.ts'
import { type NativeType, resolveType } from './native-types.ts'
import { type ColumnDefinition, columnField } from './table-definition.ts'

/** What changes in the definition of a column. What is left out stays. */
export const definitionChange = z.object({
  length: z.string().optional(),
  nullable: z.boolean().optional(),
  /** `null`: none from now on. */
  default: z.string().nullable().optional(),
})

type DefinitionChange = z.infer<typeof definitionChange>

/**
 * The definition after a change. Texts and numbers may get longer, as Iceberg lets a type grow; the type and the digits
 * after the point stay. Rows that are there keep their values.
 *
 * Errors: 400 `storage.tables.validation.cannotUpdateColumn`, `storage.tables.invalidDefaultValueForType`.
 */
export const changeDefinition = (
  column: ColumnDefinition,
  change: DefinitionChange,
  roundsNumbers: boolean,
): ColumnDefinition => {
  const { definition } = column
  const native = change.length === undefined ? definition : longer(column, change.length)
  const { default: before, ...rest } = definition
  const given = change.default === undefined ? before : change.default || undefined
  const changed: ColumnDefinition = {
    ...column,
    definition: {
      ...rest,
      ...(native.length !== undefined && { length: native.length }),
      nullable: change.nullable ?? definition.nullable,
      ...(given !== undefined && { default: given }),
    },
  }
  if (change.default) refuseDefault(changed, change.default, roundsNumbers)
  return changed
}

const longer = (column: ColumnDefinition, length: string): NativeType => {
  const { type, length: before = '' } = column.definition
  const native = resolveType(type, length)
  if (!('type' in native)) throw cannotUpdate(column, native.problem)
  if (native.length === before) return native
  const isShorter = `its length cannot change from ${before || 'none'} to ${native.length ?? 'none'}`
  if (type === 'VARCHAR' && Number(native.length) > Number(before)) return native
  if (type === 'NUMBER' && isWiderNumber(before, native.length ?? '')) return native
  throw cannotUpdate(
    column,
    `${isShorter}: only texts get longer, and numbers get more digits before the point`,
  )
}

const isWiderNumber = (before: string, after: string): boolean => {
  const [one, other] = [before, after].map(length =>
    decimalOf(`decimal(${length})` as `decimal(${number},${number})`),
  )
  return (
    one !== undefined && other !== undefined && other.scale === one.scale && other.precision > one.precision
  )
}

const refuseDefault = (column: ColumnDefinition, given: string, roundsNumbers: boolean): void => {
  const cell = rounding(columnField(column), roundsNumbers)
  const isTime = cell.type.startsWith('timestamp') || cell.rules?.isTime === true
  if ((isTime && isLoadTime(given)) || 'value' in readCell(given, cell)) return
  const got = `got "${given.slice(0, 100)}"`
  const expected =
    cell.type === 'boolean'
      ? `Allowed values are true, false, 0, 1, ${got}.`
      : `Expected ${isNumeric(column) ? 'numeric' : column.definition.type} value, ${got}.`
  throw new UserError(
    'storage.tables.invalidDefaultValueForType',
    `Invalid default value for column "${column.name}". ${expected}`,
  )
}

const isNumeric = ({ definition: { type } }: ColumnDefinition): boolean =>
  type === 'NUMBER' || type === 'FLOAT'

const cannotUpdate = ({ name }: ColumnDefinition, reason: string): UserError =>
  new UserError(
    'storage.tables.validation.cannotUpdateColumn',
    `The definition of the column "${name}" cannot be changed: ${reason}.`,
    { params: { column: name } },
  )

/** Error for a column that would have to hold a value where a row has none. */
export const hasEmptyRows = (column: ColumnDefinition): UserError =>
  cannotUpdate(column, 'there are rows in which it is NULL, so NULL must stay allowed')
