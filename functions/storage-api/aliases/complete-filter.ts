import { UserError } from '../../lib/errors/errors.ts'
import type { AliasFilter } from '../../lib/storage/tables/aliases/alias-record.ts'

interface GivenFilter {
  column?: string | undefined
  operator?: AliasFilter['operator'] | undefined
  values?: string[] | undefined
}

/**
 * The filter that a request asks for: what it leaves out stays as it is. `undefined`: neither has any.
 *
 * Error: 400 `storage.tables.validation` when column or values are still missing. `place`: of the fields in the request.
 */
export const completeFilter = (
  given: GivenFilter,
  current: AliasFilter | undefined,
  place?: string,
): AliasFilter | undefined => {
  const { column = current?.column, operator = current?.operator ?? 'eq', values = current?.values } = given
  if (column !== undefined && values !== undefined) return { column, operator, values }
  if (column === undefined && values === undefined && given.operator === undefined) return current
  const missing = column === undefined ? 'column' : 'values'
  const field = place === undefined ? missing : `${place}[${missing}]`
  throw new UserError('storage.tables.validation', `Invalid request:\n - ${field}: "This field is missing."`)
}
