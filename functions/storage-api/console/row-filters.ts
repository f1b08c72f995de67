import type { Filter } from '../../lib/table-engine/rows/row-conditions.ts'
import { query, Refusal } from './api-client.ts'

/** In the order of the menu. */
export const operators: Readonly<Record<Filter['operator'], string>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'is greater than',
  ge: 'is at least',
  lt: 'is less than',
  le: 'is at most',
}

interface ColumnFilter {
  column: string
  operator: Filter['operator']
  value: string
}

/** Which rows of a table a page shows, as its address says it. */
export interface RowChoice {
  filters: readonly ColumnFilter[]
  /** Empty: the order of the table. */
  order: string
  direction: 'ASC' | 'DESC'
  /** From 0. */
  page: number
}

export const ROWS_SHOWN = 100
const MAX_FILTERS = 10

/** @throws Refusal for a comparison that is not in the menu: read as another one, it would show or delete other rows */
export const readChoice = (asked: Readonly<Record<string, string>>): RowChoice => {
  const filters = Array.from({ length: MAX_FILTERS }, (_, index) => ({
    column: asked[`column${index}`] ?? '',
    operator: readOperator(asked[`operator${index}`] || 'eq'),
    value: asked[`value${index}`] ?? '',
  }))
  const page = Math.trunc(Number(asked['page']))
  return {
    filters: filters.filter(({ column }) => column !== ''),
    order: asked['order'] ?? '',
    direction: asked['direction'] === 'DESC' ? 'DESC' : 'ASC',
    page: page > 0 ? page : 0,
  }
}

const readOperator = (asked: string): Filter['operator'] => {
  const found = Object.keys(operators).find((name): name is Filter['operator'] => name === asked)
  if (found === undefined) throw new Refusal(400, `There is no comparison ${asked}. Nothing was done.`)
  return found
}

/** The fields of a form, or of an address, that say the filters. */
export const filterFields = ({ filters }: Pick<RowChoice, 'filters'>): Record<string, string> =>
  Object.fromEntries(
    filters.flatMap(({ column, operator, value }, index) => [
      [`column${index}`, column],
      [`operator${index}`, operator],
      [`value${index}`, value],
    ]),
  )

/** What follows the path of the page; the first page unless one is named. */
export const choiceQuery = ({
  filters,
  order,
  direction,
  page = 0,
}: Omit<RowChoice, 'page'> & { page?: number }): string =>
  query({
    ...filterFields({ filters }),
    ...(order !== '' && { order, direction }),
    ...(page > 0 && { page }),
  })

/** Guessed types by which values are compared. Dates are texts that are in order already. */
const NUMBERS = ['BIGINT', 'DOUBLE'] as const

const numberType = (
  types: Readonly<Record<string, string>>,
  column: string,
): { dataType?: (typeof NUMBERS)[number] } => {
  const dataType = NUMBERS.find(type => type === types[column])
  return dataType === undefined ? {} : { dataType }
}

/** The conditions of the API. Columns that seem to hold numbers are compared as such, unless the very text is asked for. */
export const conditionsOf = (
  { filters }: Pick<RowChoice, 'filters'>,
  types: Readonly<Record<string, string>>,
) =>
  filters.map(({ column, operator, value }) => ({
    column,
    operator,
    values: [value],
    ...(operator === 'eq' || operator === 'ne' ? {} : numberType(types, column)),
  }))

/** Fields of `data-preview`. */
export const previewFields = (
  choice: RowChoice,
  types: Readonly<Record<string, string>>,
): Record<string, string | number> => {
  const fields: Record<string, string | number> = { offset: choice.page * ROWS_SHOWN }
  for (const [index, { column, operator, values, ...as }] of conditionsOf(choice, types).entries()) {
    const name = `whereFilters[${index}]`
    Object.assign(fields, { [`${name}[column]`]: column, [`${name}[operator]`]: operator })
    // An empty value is a value, too.
    fields[`${name}[values][0]`] = values[0] ?? ''
    if (as.dataType !== undefined) fields[`${name}[dataType]`] = as.dataType
  }
  if (choice.order !== '') {
    Object.assign(fields, { 'orderBy[0][column]': choice.order, 'orderBy[0][order]': choice.direction })
    const as = numberType(types, choice.order)
    if (as.dataType !== undefined) fields['orderBy[0][dataType]'] = as.dataType
  }
  return fields
}
