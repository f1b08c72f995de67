import { z } from '@hono/zod-openapi'
import { UserError } from '../../lib/errors.ts'
import type { Filter, PreviewQuery } from '../../lib/tables/preview-table.ts'
import { commaList, text, textList } from '../wire/fields.ts'
import { parseTime } from './parse-time.ts'

const dataType = z.enum(['INTEGER', 'DOUBLE', 'BIGINT', 'REAL', 'DECIMAL'], {
  error: 'This value should be INTEGER, DOUBLE, BIGINT, REAL or DECIMAL.',
})
const operators = ['eq', 'ne', 'neq', 'gt', 'ge', 'lt', 'le'] as const
const operator = z
  .enum(operators, { error: `This value should be one of ${operators.join(', ')}.` })
  .transform(name => (name === 'neq' ? 'ne' : name))

const MAX_CONDITIONS = 100

const whereFilter = z.object({
  column: text({ min: 1, max: 255 }),
  operator: operator.default('eq'),
  values: z.preprocess(
    value => (typeof value === 'string' || typeof value === 'number' ? [value] : value),
    z
      .array(text({ max: 100_000 }), {
        error: ({ input }) =>
          input === undefined ? 'This field is missing.' : 'This value should be of type array.',
      })
      .max(1_000),
  ),
  dataType: dataType.optional(),
  type: z.enum(['SCALAR', 'TIME_STRING']).optional(),
})

/** The fields of a request that choose rows of a table; the same for previews and exports (facts 1.5). */
export const rowQueryFields = {
  columns: z.union([textList({ itemMax: 255 }), commaList()]).optional(),
  whereColumn: text({ max: 255 }).optional(),
  whereOperator: operator.optional(),
  whereValues: textList({ max: 1_000, itemMax: 100_000 }).optional(),
  whereFilters: z
    .array(whereFilter, { error: 'This value should be of type array.' })
    .max(MAX_CONDITIONS)
    .optional(),
  orderBy: z
    .array(
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
      { error: 'This value should be of type array.' },
    )
    .max(MAX_CONDITIONS)
    .optional(),
  changedSince: text({ max: 100 }).optional(),
  changedUntil: text({ max: 100 }).optional(),
  fulltextSearch: text().optional(),
}

const rowQuerySchema = z.object(rowQueryFields)

/** The fields as the table engine takes them. Errors: 400 `storage.tables.validation`, 501 `notImplemented`. */
export const readRowQuery = (
  fields: z.output<typeof rowQuerySchema>,
  now: Date,
): Omit<PreviewQuery, 'limit'> => {
  if (fields.fulltextSearch !== undefined) throw notImplemented('fulltextSearch')
  if (fields.whereFilters?.some(filter => filter.type === 'TIME_STRING'))
    throw notImplemented('whereFilters[][type]=TIME_STRING')
  const { columns, changedSince, changedUntil } = fields
  return {
    ...(columns && columns.length > 0 && { columns }),
    where: [...simpleCondition(fields), ...(fields.whereFilters ?? []).map(toFilter)],
    orderBy: (fields.orderBy ?? []).map(({ column, order, dataType }) => ({
      column,
      order,
      ...(dataType && { dataType }),
    })),
    ...(changedSince !== undefined && { changedSince: parseTime('changedSince', changedSince, now) }),
    ...(changedUntil !== undefined && { changedUntil: parseTime('changedUntil', changedUntil, now) }),
  }
}

const toFilter = ({ column, operator, values, dataType }: z.output<typeof whereFilter>): Filter => ({
  column,
  operator,
  values,
  ...(dataType && { dataType }),
})

/** The older form of one condition. */
const simpleCondition = ({
  whereColumn,
  whereOperator,
  whereValues,
}: z.output<typeof rowQuerySchema>): Filter[] => {
  if (whereColumn === undefined) {
    if (whereValues !== undefined) throw missing('whereColumn')
    return []
  }
  if (whereValues === undefined) throw missing('whereValues')
  return [{ column: whereColumn, operator: whereOperator ?? 'eq', values: whereValues }]
}

const missing = (field: string) =>
  new UserError('storage.tables.validation', `Invalid request:\n - ${field}: "This field is missing."`)

const notImplemented = (field: string) =>
  new UserError('notImplemented', `"${field}" is not supported. Use whereFilters.`, { status: 501 })
