import { UserError } from '../../errors/errors.ts'
import { JsonNumber } from '../../json/json-number.ts'
import { isObject, type Json } from '../../json/json-value.ts'
import type { PaginationOf } from '../config/pagination-schema.ts'
import { phpJsonEncode } from '../values/php/php-serialize.ts'
import { isEmpty, toText } from '../values/php/php-values.ts'
import { valueAt } from '../values/select/json-path.ts'
import { compareBy, wholeNumber } from '../values/select/ordering.ts'
import { type Page, type Paginator, type PaginatorInput, pageRequest, STUCK } from './paginator.ts'

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

/**
 * A cursor of any kind: read from the response (`cursorPath`, ends when it is empty) or the largest of the items' values
 * (`idKey`, with `reverse` the smallest, with `take` that of the last item; ends with the first page without items). Ours: Generic Extractor's
 * cursors are whole numbers. A cursor that does not move ends the job: its next page would be the same again.
 *
 * ```
 * { "method": "json-cursor", "param": "after", "cursorPath": "page.end" }
 * GET /orders              200 { "orders": [...], "page": { "end": "MjAyNi0xMQ" } }
 * GET /orders?after=MjAyNi0xMQ    200 { "orders": [...], "page": { "end": null } }    the last page
 * ```
 */
export const jsonCursorPaginator = (
  settings: PaginationOf<'json-cursor'>,
  input: PaginatorInput,
): Paginator => {
  const { param, cursorPath, idKey } = settings
  const source = cursorPath ?? idKey
  const cursorOf = (page: Page, before: Json | undefined): Json | undefined => {
    const cursor = cursorPath ? valueAt(cursorPath, page.response) : bestOf(page, settings, before)
    return isEmpty(cursor) ? undefined : cursor
  }
  const isSame = (cursor: Json, before: Json | undefined): boolean =>
    before !== undefined && toText(before) === toText(cursor)
  return {
    first: pageRequest(input),
    next: (page, { position }) => {
      const cursor = cursorOf(page, position)
      if (cursor === undefined) return undefined
      if (isSame(cursor, position)) {
        input.log.warning(`The cursor at '${source}' did not move; stopping.`)
        return undefined
      }
      return pageRequest(input, { params: withCursor(input, param, cursor) }, cursor)
    },
    stuck: (page, { position }) => {
      const cursor = cursorOf(page, position)
      return cursor !== undefined && isSame(cursor, position) ? STUCK : undefined
    },
    toldBy: cursorPath === undefined ? 'items' : 'answer',
    ended:
      idKey === undefined
        ? `the response has no cursor at '${source}'`
        : 'a page held no items with a new cursor',
  }
}

/** In a JSON body the name may be a path, unless the job has a param of just that name. */
const withCursor = (
  { job: { method, body, params }, defaults }: PaginatorInput,
  name: string,
  cursor: Json,
): Record<string, Json> => {
  const own = { ...params } as Record<string, Json> // a list has its positions as names
  const isJson = (method ?? defaults.method) === 'POST' && body === undefined
  const isPath = isJson && name.includes('.') && !Object.hasOwn(own, name)
  return isPath ? withValueAt(own, name.split('.'), cursor) : { ...own, [name]: cursor }
}

const withValueAt = (
  object: Readonly<Record<string, Json>>,
  [key = '', ...others]: readonly string[],
  value: Json,
): Record<string, Json> => {
  const inner = Object.hasOwn(object, key) ? object[key] : undefined
  return {
    ...object,
    [key]: others.length === 0 ? value : withValueAt(isObject(inner) ? inner : {}, others, value),
  }
}

const bestOf = (
  page: Page,
  settings: PaginationOf<'json-cursor'>,
  before: Json | undefined,
): Json | undefined => {
  if (page.items.length === 0) return undefined
  let best = before
  for (const item of page.items) {
    const value = valueAt(settings.idKey ?? '', item)
    if (value === undefined) continue
    if (
      best === undefined ||
      settings.take === 'last' ||
      compareBy(settings.type, value, best) * (settings.reverse === true ? -1 : 1) > 0
    )
      best = value
  }
  return best
}
