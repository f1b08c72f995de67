import type { Filter } from '../../lib/table-engine/rows/row-conditions.ts'
import { type WrittenCondition, writeCondition } from '../../lib/table-engine/rows/written-condition.ts'
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

/** Which rows of a table a page shows, as its address says it. */
export interface RowChoice {
  filters: readonly WrittenCondition[]
  /** Empty: the order of the table. */
  order: string
  direction: 'ASC' | 'DESC'
  /** From 0. */
  page: number
}

const MAX_FILTERS = 10

/** @throws Refusal for a comparison that is not in the menu: read as another one, it would show or delete other rows */
export const readChoice = (asked: Readonly<Record<string, string>>): RowChoice => {
  const filters = Array.from({ length: MAX_FILTERS }, (_, index) => ({
    column: asked[`column${index}`] ?? '',
    operator: readOperator(asked[`operator${index}`] || 'eq'),
    value: asked[`value${index}`] ?? '',
    type: asked[`type${index}`] || undefined,
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
    filters.flatMap(({ column, operator, value, type }, index) => [
      [`column${index}`, column],
      [`operator${index}`, operator],
      [`value${index}`, value],
      ...(type ? [[`type${index}`, type]] : []),
    ]),
  )

/** What follows the path of the page that shows them; without their page the first one. */
export const choiceQuery = ({ order, direction, page = 0, ...choice }: ChoiceOfPage): string =>
  query({
    ...filterFields(choice),
    ...(order !== '' && { order, direction }),
    ...(page > 0 && { page }),
  })

type ChoiceOfPage = Omit<RowChoice, 'page'> & { page?: number }

/** The conditions as the API and the command read them. */
export const conditionsOf = ({ filters }: Pick<RowChoice, 'filters'>): string[] => filters.map(writeCondition)
