import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors/errors.ts'
import type { PreviewQuery } from '../../lib/table-engine/preview-table.ts'
import type { Filter } from '../../lib/table-engine/row-conditions.ts'
import { commaList, listOf, text, textList, unlessBlank } from '../http/fields.ts'
import { parseTime } from './parse-time.ts'

const dataType = z.enum(['INTEGER', 'DOUBLE', 'BIGINT', 'REAL', 'DECIMAL'], {
  error: 'This value should be INTEGER, DOUBLE, BIGINT, REAL or DECIMAL.',
})
const operators = ['eq', 'ne', 'neq', 'gt', 'ge', 'lt', 'le'] as const
const operator = z
  .enum(operators, { error: `This value should be one of ${operators.join(', ')}.` })
  .transform(name => (name === 'neq' ? 'ne' : name))

const MAX_CONDITIONS = 100

/** A single value counts as a list of one: a form that repeats a field without brackets sends only the last value. */
export const oneAsList = (value: unknown): unknown =>
  typeof value === 'string' || typeof value === 'number' ? [value] : value

const whereFilter = z.object({
  column: text({ min: 1, max: 255 }),
  operator: operator.default('eq'),
  values: z.preprocess(oneAsList, textList({ max: 1_000, itemMax: 100_000 })),
  dataType: dataType.optional(),
  type: z.enum(['SCALAR', 'TIME_STRING']).optional(),
})

/**
 * The fields that choose rows of a table, the same for previews and exports
 * (docs/reference/storage-api.md#choose-rows).
 */
export const rowQueryFields = {
  columns: z.union([textList({ itemMax: 255 }), commaList()]).optional(),
  whereColumn: unlessBlank(text({ max: 255 })),
  whereOperator: unlessBlank(operator),
  whereValues: z.preprocess(oneAsList, textList({ max: 1_000, itemMax: 100_000 }).optional()),
  whereFilters: listOf(whereFilter, { max: MAX_CONDITIONS }).optional(),
  orderBy: listOf(
    z.object({
      column: text({ min: 1, max: 255 }),
      order: z
        .preprocess(
          value => (typeof value === 'string' ? value.toUpperCase() : value),
          z.enum(['ASC', 'DESC']),
        )
        .default('ASC'),
      dataType: dataType.optional(),
    }),
    { max: MAX_CONDITIONS },
  ).optional(),
  changedSince: unlessBlank(text({ max: 100 })),
  changedUntil: unlessBlank(text({ max: 100 })),
  fulltextSearch: unlessBlank(text()),
}

const rowQuerySchema = z.object(rowQueryFields)

/** The fields in the table engine's form. Error: 400 `storage.tables.validation`. */
export const readRowQuery = (
  fields: z.output<typeof rowQuerySchema>,
  now: Date,
): Omit<PreviewQuery, 'limit'> => {
  const { columns, changedSince, changedUntil, fulltextSearch, whereFilters = [] } = fields
  if (fulltextSearch !== undefined && whereFilters.length > 0)
    throw invalid('fulltextSearch', 'This field cannot be used together with whereFilters.')
  return {
    ...(columns && columns.length > 0 && { columns: [...new Set(columns)] }),
    where: [...simpleCondition(fields), ...whereFilters.map(toFilter(now))],
    orderBy: (fields.orderBy ?? []).map(({ column, order, dataType }) => ({
      column,
      order,
      ...(dataType && { dataType }),
    })),
    ...(changedSince !== undefined && { changedSince: parseTime('changedSince', changedSince, now) }),
    ...(changedUntil !== undefined && { changedUntil: parseTime('changedUntil', changedUntil, now) }),
    ...(fulltextSearch !== undefined && { fulltextSearch }),
  }
}

const toFilter =
  (now: Date) =>
  ({ column, operator, values, dataType, type }: z.output<typeof whereFilter>, index: number): Filter =>
    type === 'TIME_STRING'
      ? {
          column,
          operator,
          // Values such as `-2 days`. The column's text is read as a time too, in UTC without a zone.
          values: values.map(value =>
            parseTime(`whereFilters[${index}][values]`, value, now)
              .toISOString()
              .replace(/[TZ]/g, ' ')
              .trim(),
          ),
          dataType: 'TIMESTAMP',
        }
      : { column, operator, values, ...(dataType && { dataType }) }

/** The older fields for one condition. */
const simpleCondition = ({
  whereColumn,
  whereOperator,
  whereValues,
}: z.output<typeof rowQuerySchema>): Filter[] => {
  if (whereColumn === undefined) {
    if (whereValues !== undefined) throw invalid('whereColumn', 'This field is missing.')
    return []
  }
  if (whereValues === undefined) throw invalid('whereValues', 'This field is missing.')
  return [{ column: whereColumn, operator: whereOperator ?? 'eq', values: whereValues }]
}

const invalid = (field: string, message: string) =>
  new UserError('storage.tables.validation', `Invalid request:\n - ${field}: "${message}"`)
