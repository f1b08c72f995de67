import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { isNumber } from '../../lib/json/json-value.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { columnNames } from '../../lib/table-engine/files/snapshot.ts'
import type { PreviewQuery } from '../../lib/table-engine/preview-table.ts'
import {
  type Filter,
  namedColumns,
  operators,
  type RowConditions,
  refuseUnknownColumns,
} from '../../lib/table-engine/rows/row-conditions.ts'
import { wholeSentence } from '../http/check-fields.ts'
import { commaList, listOf, text, textList, unlessBlank, withoutGaps } from '../http/fields.ts'
import { mayReadTable } from '../http/rights.ts'
import type { Caller } from '../services/services.ts'
import { parseTime } from './parse-time.ts'

const MAX_CONDITIONS = 100

const refused = (message: string) => new UserError('storage.tables.validation', message)

/** One of these words, in any case. The sentence for another one is the one that clients of the hosted service know. */
const word = <const Word extends string>(words: readonly Word[], sentence: (given: string) => string) =>
  text({ max: 100 })
    .transform((given, context): Word => {
      const found = words.find(each => each.toLowerCase() === given.toLowerCase())
      if (found === undefined) context.addIssue(wholeSentence(sentence(given)))
      return found ?? z.NEVER
    })
    .meta({ type: 'string', enum: [...words] })

const dataType = word(
  ['INTEGER', 'DOUBLE', 'BIGINT', 'REAL', 'DECIMAL'],
  given => `Data type ${given} not recognized. Possible datatypes are [INTEGER|DOUBLE]`,
)
const operator = word(
  [...operators, 'neq'],
  given => `Invalid where operator ${given}. It is one of ${operators.join(', ')}.`,
).transform(name => (name === 'neq' ? 'ne' : name))
const order = word(['ASC', 'DESC'], given => `Invalid sort order ${given}. Available orders are [DESC|ASC]`)

/** A list of objects under this name. */
const conditions = <Item extends z.ZodType>(name: string, item: Item) =>
  z.preprocess((value, context) => {
    const list = withoutGaps(value)
    if (list === undefined) return undefined
    const contains = `but parameter contains:\n${JSON.stringify(value)}`
    if (Array.isArray(list) && list.every(each => typeof each === 'object')) return list
    const refusal =
      typeof list === 'object' && list !== null
        ? `All items in param "${name}" should be an arrays, ${contains}`
        : `Parameter "${name}" should be an array, ${contains}`
    context.addIssue(wholeSentence(refusal))
    return z.NEVER
  }, listOf(item, { max: MAX_CONDITIONS }).optional())

/** A single value counts as a list of one: a form that repeats a field without brackets sends only the last value. */
export const oneAsList = (value: unknown): unknown =>
  typeof value === 'string' || isNumber(value) ? [value] : value

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
  whereFilters: conditions('whereFilters', whereFilter),
  orderBy: conditions(
    'orderBy',
    z.object({
      column: text({ min: 1, max: 255 }),
      order: order.default('ASC'),
      dataType: dataType.optional(),
    }),
  ),
  changedSince: unlessBlank(text({ max: 100 })),
  changedUntil: unlessBlank(text({ max: 100 })),
  fulltextSearch: unlessBlank(text()),
}

const rowQuerySchema = z.object(rowQueryFields)

/** The fields in the table engine's form. Errors: 400 `storage.tables.validation`, `validation.failed`. */
export const readRowQuery = (
  fields: z.output<typeof rowQuerySchema>,
  now: Date,
): Omit<PreviewQuery, 'limit'> => {
  const { columns, changedSince, changedUntil, fulltextSearch, whereFilters = [] } = fields
  if (fulltextSearch !== undefined && whereFilters.length > 0)
    throw refused('Cannot use fulltextSearch and whereFilters at the same time')
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
    if (whereValues !== undefined) throw invalid('This field is missing.')
    return []
  }
  if (whereValues === undefined) throw invalid('To use "whereColumn" specify "whereValues".')
  return [{ column: whereColumn, operator: whereOperator ?? 'eq', values: whereValues }]
}

const invalid = (message: string) =>
  new UserError('validation.failed', `Invalid request:\n - whereColumn: "${message}"`)

/**
 * Throws 400 `storage.tables.validation.columnNotExists` for a column that an alias does not show, unless the caller may read the source:
 * whoever may choose or order rows by a column finds its values.
 */
export const refuseHiddenColumns = (
  caller: Caller,
  { alias, snapshot }: TableHead,
  query: RowConditions & { orderBy?: { column: string }[] },
): void => {
  if (!alias || mayReadTable(caller, alias.record.sourceTableId)) return
  refuseUnknownColumns(columnNames(snapshot), namedColumns(query))
}
