import { UserError } from '../../errors/errors.ts'

/**
 * An order must name each row once. An empty one means "by id".
 * Errors, both 400: `storage.components.validation` (an id without a row), `validation.invalidRowSortOrder`.
 */
export const checkSortOrder = (order: string[], rows: readonly { id: string }[]): string[] => {
  if (order.length === 0) return order
  const ids = new Set(rows.map(({ id }) => id))
  const unknown = order.find(id => !ids.has(id))
  if (unknown !== undefined)
    throw new UserError(
      'storage.components.validation',
      `Invalid parameters - rowsSortOrder: There is no row "${unknown.slice(0, 100)}".`,
    )
  if (order.length !== rows.length || new Set(order).size !== rows.length)
    throw new UserError(
      'validation.invalidRowSortOrder',
      'rowsSortOrder must name each row of the configuration once.',
    )
  return order
}
