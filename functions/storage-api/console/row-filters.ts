import type { Filter } from '../../lib/table-engine/rows/row-conditions.ts'
import type { TableBody } from '../../lib/wire/table-body.ts'
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

/**
 * The conditions of the API.
 *
 * @throws Refusal for an order of text, in which 9 comes after 10: it would show or delete other rows than were meant
 */
export const conditionsOf = (
  { filters }: Pick<RowChoice, 'filters'>,
  { isTyped }: Pick<TableBody, 'isTyped'>,
) =>
  filters.map(({ column, operator, value }) => {
    if (!isTyped && operator !== 'eq' && operator !== 'ne')
      throw new Refusal(400, `${column} is text, in which 9 is greater than 10. Ask for it with SQL instead.`)
    return { column, operator, values: [value] }
  })

/** Fields of `data-preview`. */
export const previewFields = (
  choice: RowChoice,
  table: Pick<TableBody, 'isTyped'>,
): Record<string, string | number> => {
  const fields: Record<string, string | number> = { offset: choice.page * ROWS_SHOWN }
  for (const [index, { column, operator, values }] of conditionsOf(choice, table).entries()) {
    const name = `whereFilters[${index}]`
    Object.assign(fields, { [`${name}[column]`]: column, [`${name}[operator]`]: operator })
    // An empty value is a value, too.
    fields[`${name}[values][0]`] = values[0] ?? ''
  }
  if (choice.order !== '') {
    Object.assign(fields, { 'orderBy[0][column]': choice.order, 'orderBy[0][order]': choice.direction })
  }
  return fields
}
