import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { printExpression } from '../print-expression.ts'
import { type RequestOption, requestOption } from './options.ts'
import { expressionOf, readText, type Scope } from './values.ts'

interface ImportedPaging {
  pagination: JsonObject | undefined
  /** What every request carries, such as the size of a page. */
  values: { option: RequestOption; value: Json }[]
  /** What the pagination sends by itself. */
  options: RequestOption[]
}

const none: ImportedPaging = { pagination: undefined, values: [], options: [] }

/** What templates of a paginator may name, and what it is called here. */
const names = { response: 'response', headers: 'headers', last_record: 'last', last_page_size: 'count' }

export const pagingOf = (given: Json | undefined, path: string, scope: Scope): ImportedPaging => {
  if (!isObject(given) || given['type'] === 'NoPagination') return none
  const { report } = scope
  const lost = (key: string, why: string): ImportedPaging => {
    report.lost(key === '' ? path : `${path}.${key}`, `${why}: only the first page is read`, 'rows')
    return none
  }
  if (given['type'] !== 'DefaultPaginator')
    return lost('', `a paginator of the type ${String(given['type'])}`)
  const strategy = isObject(given['pagination_strategy']) ? given['pagination_strategy'] : {}
  const token = requestOption(given['page_token_option'], `${path}.page_token_option`, scope)
  const sizeOption = requestOption(given['page_size_option'], `${path}.page_size_option`, scope)
  if (token?.place === 'header') return lost('page_token_option', 'a page cannot be asked for in a header')
  const size = Number(
    expressionOf(strategy['page_size'] ?? 0, `${path}.pagination_strategy.page_size`, scope) ?? 0,
  )
  const values = sizeOption !== undefined && size > 0 ? [{ option: sizeOption, value: size }] : []
  const first: JsonObject = strategy['inject_on_first_request'] === true ? {} : { firstPageParams: false }
  const options = token === undefined || token.place === 'path' ? [] : [token]

  switch (strategy['type']) {
    case 'PageIncrement':
      if (token === undefined) return lost('page_token_option', 'the number of a page is not sent')
      return {
        values,
        options,
        pagination: {
          method: 'pagenum',
          pageParam: token.name,
          firstPage: Number(strategy['start_from_page'] ?? 0),
          ...(size > 0 ? { stopWhen: { expr: `count < ${size}` } } : {}),
          ...first,
        },
      }
    case 'OffsetIncrement':
      if (token === undefined) return lost('page_token_option', 'the offset is not sent')
      return {
        values,
        options,
        pagination: {
          method: 'offset',
          ...(size > 0 ? { limit: size } : {}),
          limitParam: sizeOption?.place === 'query' ? sizeOption.name : false,
          offsetParam: token.name,
          ...first,
        },
      }
    case 'CursorPagination': {
      const at = `${path}.pagination_strategy`
      if (token === undefined) return lost('page_token_option', 'the cursor is not sent')
      const cursor = cursorOf(strategy['cursor_value'], token, `${at}.cursor_value`, scope)
      if (cursor === undefined) return lost('pagination_strategy.cursor_value', 'there is no cursor')
      return { values, options, pagination: { ...cursor, ...stopOf(strategy, cursor, at, scope) } }
    }
    default:
      return lost('pagination_strategy', `a strategy of the type ${String(strategy['type'])}`)
  }
}

const cursorOf = (
  given: Json | undefined,
  token: RequestOption,
  path: string,
  scope: Scope,
): JsonObject | undefined => {
  const link =
    /^\{\{\s*headers(?:\.link|\[\s*['"]link['"]\s*\]|\.get\(['"]link['"][^)]*?\))(?:\.get\(['"](\w+)['"][^)]*\)|\.(\w+)|\[\s*['"](\w+)['"]\s*\])/i.exec(
      String(given),
    )
  if (link !== null) {
    const rel = link[1] ?? link[2] ?? link[3] ?? 'next'
    return { method: 'header-link', ...(rel === 'next' ? {} : { rel }) }
  }
  const read = readText(String(given), path, { ...scope, names }, 'rows')
  if (read === undefined) return undefined
  const expr = printExpression(read)
  // A path as people write it, where it is one
  const keys = /^response((?:\.\w+)+)$/.exec(expr)?.[1]?.slice(1)
  if (token.place === 'path')
    return { method: 'response.url', ...(keys === undefined ? { url: { expr } } : { urlKey: keys }) }
  return {
    method: 'json-cursor',
    param: token.name,
    ...(keys === undefined ? { value: { expr } } : { cursorPath: keys }),
  }
}

/** What ends the pages beside a missing cursor. */
const stopOf = (strategy: JsonObject, cursor: JsonObject, path: string, scope: Scope): JsonObject => {
  const given = strategy['stop_condition']
  // A link that is not there ends the pages
  if (given === undefined || given === null || cursor['method'] === 'header-link') return {}
  const read = readText(String(given), `${path}.stop_condition`, { ...scope, names }, 'none')
  if (read === undefined || (read.kind === 'value' && !read.value)) return {}
  const expr = printExpression(read)
  const own = `response.${String(cursor['cursorPath'] ?? cursor['urlKey'])}`
  return [`not ${own}`, `${own} is none`, `${own} == none`, `${own} == ''`].includes(expr)
    ? {}
    : { stopWhen: { expr } }
}
