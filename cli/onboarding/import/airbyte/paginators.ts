import { isObject } from '#lib/extractor/php/php-values.ts'
import type { Json, JsonObject } from '#lib/extractor/tables/json-value.ts'
import { singleReference } from '../template.ts'
import { expressionOf, type Scope } from './values.ts'

interface ImportedPaging {
  pagination: JsonObject | undefined
  /** The size of a page, which every request carries. */
  params: JsonObject
}

const none: ImportedPaging = { pagination: undefined, params: {} }

/** `api.pagination` for a paginator of a retriever. */
export const pagingOf = (given: Json | undefined, path: string, scope: Scope): ImportedPaging => {
  if (!isObject(given) || given['type'] === 'NoPagination') return none
  const { report } = scope
  const lost = (key: string, why: string): ImportedPaging => {
    report.lost(key === '' ? path : `${path}.${key}`, `${why}: only the first page is read`)
    return none
  }
  if (given['type'] !== 'DefaultPaginator')
    return lost('', `a paginator of the type ${String(given['type'])}`)
  const strategy = isObject(given['pagination_strategy']) ? given['pagination_strategy'] : {}
  const token = isObject(given['page_token_option']) ? given['page_token_option'] : {}
  const sizeOption = isObject(given['page_size_option']) ? given['page_size_option'] : {}
  const tokenName = String(token['field_name'] ?? '')
  const isPath = token['type'] === 'RequestPath' || token['inject_into'] === 'path'
  if (token['inject_into'] === 'header')
    return lost('page_token_option', 'a page cannot be asked for in a header')
  if (sizeOption['inject_into'] === 'header')
    report.lost(`${path}.page_size_option`, 'the size of a page is not sent as a header')
  const sizeName = sizeOption['inject_into'] === 'header' ? undefined : textOf(sizeOption['field_name'])
  const size = Number(
    expressionOf(strategy['page_size'] ?? 0, `${path}.pagination_strategy.page_size`, scope),
  )
  const params: JsonObject = sizeName !== undefined && size > 0 ? { [sizeName]: size } : {}
  const isFirstSent = strategy['inject_on_first_request'] === true

  switch (strategy['type']) {
    case 'PageIncrement':
      return {
        params,
        pagination: {
          method: 'pagenum',
          pageParam: tokenName || 'page',
          firstPage: Number(strategy['start_from_page'] ?? 0),
          ...(sizeName !== undefined && size > 0 ? { limit: size, limitParam: sizeName } : {}),
          ...(isFirstSent ? {} : { firstPageParams: false }),
        },
      }
    case 'OffsetIncrement':
      if (!(size > 0)) return lost('pagination_strategy.page_size', 'an offset without a size of pages')
      if (sizeName === undefined)
        report.lost(`${path}.page_size_option`, 'there is none, but "limit" is sent with the offset')
      return {
        params,
        pagination: {
          method: 'offset',
          limit: size,
          ...(sizeName === undefined ? {} : { limitParam: sizeName }),
          offsetParam: tokenName || 'offset',
          ...(isFirstSent ? {} : { firstPageParams: false }),
        },
      }
    case 'CursorPagination': {
      const pagination = cursor(strategy, isPath, tokenName)
      if (pagination === undefined)
        return lost('pagination_strategy.cursor_value', `the expression ${String(strategy['cursor_value'])}`)
      if (pagination['idKey'] !== undefined)
        report.lost(
          `${path}.pagination_strategy.cursor_value`,
          'not the last item of a page counts but the one with the largest value',
        )
      return {
        params,
        pagination: { ...pagination, ...stopOf(strategy, pagination, `${path}.pagination_strategy`, scope) },
      }
    }
    default:
      return lost('pagination_strategy', `a strategy of the type ${String(strategy['type'])}`)
  }
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

const cursor = (strategy: JsonObject, isPath: boolean, param: string): JsonObject | undefined => {
  const reference = singleReference(strategy['cursor_value'])
  if (reference === undefined) return undefined
  const { root, keys } = reference
  if (/^headers$/.test(root) && keys[0]?.toLowerCase() === 'link')
    return { method: 'header-link', ...(keys[1] === undefined || keys[1] === 'next' ? {} : { rel: keys[1] }) }
  if (root === 'response' && keys.length > 0) {
    const dotted = keys.some(key => key.includes('.'))
    if (isPath)
      return {
        method: 'response.url',
        urlKey: keys.join(dotted ? '/' : '.'),
        ...(dotted ? { delimiter: '/' } : {}),
      }
    return dotted || param === '' ? undefined : { method: 'json-cursor', param, cursorPath: keys.join('.') }
  }
  const idKeys =
    root === 'last_record' ? keys : root === 'last_records' && keys[0] === '-1' ? keys.slice(1) : []
  return idKeys.length === 0 || param === ''
    ? undefined
    : { method: 'json-cursor', param, idKey: idKeys.join('.') }
}

/** What ends the pages beside a missing cursor. */
const stopOf = (
  strategy: JsonObject,
  pagination: JsonObject,
  path: string,
  { report }: Scope,
): JsonObject => {
  const given = strategy['stop_condition']
  if (given === undefined || given === null) return {}
  const condition = String(given)
    .replace(/^\{\{\s*|\s*\}\}$/g, '')
    .trim()
  const negated = /^not\s+(.+)$/.exec(condition)
  const reference = singleReference(
    `{{ ${negated?.[1] ?? condition.replace(/\s*(==|is)\s*(none|''|""|false)\s*$/i, '')} }}`,
  )
  const isNegative = negated !== null || /(==|is)\s*(none|''|""|false)\s*$/i.test(condition)
  const field = reference?.root === 'response' ? reference.keys.join('.') : undefined
  const own = pagination['cursorPath'] ?? pagination['urlKey']
  if (isNegative && field !== undefined && field === own) return {}
  if (
    /'next' not in headers\[['"]link['"]\]/i.test(condition) ||
    (negated !== null && /^headers/.test(negated[1] ?? ''))
  )
    return {}
  if (field !== undefined && reference?.keys.length === 1)
    return { nextPageFlag: { field, stopOn: !isNegative } }
  report.lost(`${path}.stop_condition`, `the condition ${String(given)}: pages end where the cursor does`)
  return {}
}
