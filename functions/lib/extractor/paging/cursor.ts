import { UserError } from '../../errors/errors.ts'
import { JsonNumber } from '../../json/json-number.ts'
import type { Json } from '../../json/json-value.ts'
import type { PaginationOf } from '../config/pagination-schema.ts'
import { phpJsonEncode } from '../values/php/php-json-encode.ts'
import { valueAt } from '../values/select/json-path.ts'
import { wholeNumber } from '../values/select/whole-number.ts'
import { type Page, type Paginator, type PaginatorInput, pageRequest } from './paginator.ts'

/**
 * The largest id of all pages so far (with `reverse` the smallest, with `take` that of the last item) plus `increment` goes into the next request; the
 * initial value is the job param of that name (docs/reference/extractor-pagination.md#cursor). Ends with the first page without
 * items.
 *
 * ```
 * { "method": "cursor", "idKey": "id", "param": "since_id", "increment": 1 }
 * GET /orders               200 [{ "id": 7 }, { "id": 9 }]
 * GET /orders?since_id=10   200 []                        the last page
 * ```
 */
export const cursorPaginator = (settings: PaginationOf<'cursor'>, input: PaginatorInput): Paginator => {
  const increment = settings.increment ?? 0
  return {
    first: pageRequest(input),
    next: (page, previous) => {
      if (page.items.length === 0) return undefined
      const best = bestId(page, settings, wholeNumber(previous.position))
      const value = typeof best === 'bigint' ? best + BigInt(increment) : best + increment
      return pageRequest(
        input,
        { params: { ...input.job.params, [settings.param]: toJson(value) } },
        toJson(best),
      )
    },
    toldBy: 'items',
    ended: 'a page held no items',
  }
}

const bestId = (
  page: Page,
  { idKey, reverse, take }: PaginationOf<'cursor'>,
  before: number | bigint | undefined,
): number | bigint => {
  let best = before
  for (const item of page.items) {
    const found = valueAt(idKey, item)
    const id = wholeNumber(found)
    if (id === undefined) {
      const shown = phpJsonEncode(found ?? null, true)
      throw new UserError('extractor.pagination.cursor', `Cursor value '${shown}' is not numeric.`)
    }
    if (best === undefined || take === 'last' || (reverse === true ? id < best : id > best)) best = id
  }
  return best ?? 0
}

const toJson = (value: number | bigint): Json =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : new JsonNumber(String(value))
