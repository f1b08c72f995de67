import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { bare } from '../json-path.ts'
import { printExpression } from '../print-expression.ts'
import type { Report } from '../report.ts'
import { member } from '../translate.ts'

/** What is read of a paginator by its type; other keys are reported. */
const readKeys: Readonly<Record<string, readonly string[]>> = {
  json_link: ['next_url_path'],
  json_response: ['next_url_path'],
  header_link: ['links_next_key'],
  offset: ['limit', 'offset_param', 'limit_param', 'total_path', 'stop_after_empty_page', 'has_more_path'],
  page_number: ['base_page', 'page', 'page_param', 'total_path', 'stop_after_empty_page', 'has_more_path'],
  cursor: ['cursor_path', 'cursor_param', 'cursor_body_path', 'has_more_path'],
  json_cursor: ['cursor_path', 'cursor_param'],
  single_page: [],
}

export const pagingOf = (given: Json | undefined, path: string, report: Report): JsonObject | undefined => {
  if (given === undefined || given === null) given = 'auto'
  const settings = isObject(given) ? given : { type: given }
  const type = String(settings['type'] ?? 'auto')
  const known = readKeys[type]
  if (type === 'auto') {
    report.lost(
      path,
      'pages are not looked for in a run: add "pagination", or make the configuration with millrace init',
      'rows',
    )
    return undefined
  }
  if (known === undefined) {
    report.lost(path, `a paginator of the type ${type}: only the first page is read`, 'rows')
    return undefined
  }
  report.unread(settings, path, ['type', ...known])
  const more = settings['has_more_path']
  const flag: JsonObject =
    typeof more === 'string'
      ? {
          stopWhen: { expr: printExpression({ kind: 'not', of: member('response', bare(more).split('.')) }) },
        }
      : {}
  switch (type) {
    case 'single_page':
      return undefined
    case 'header_link': {
      const rel = settings['links_next_key']
      return { method: 'header-link', ...(typeof rel === 'string' && rel !== 'next' ? { rel } : {}) }
    }
    case 'json_link':
    case 'json_response':
      return { method: 'response.url', urlKey: bare(String(settings['next_url_path'] ?? 'next')) }
    case 'offset':
      return {
        method: 'offset',
        limit: Number(settings['limit'] ?? 100),
        ...text('limitParam', settings['limit_param']),
        ...text('offsetParam', settings['offset_param']),
        ...totalOf(settings['total_path'] === undefined ? 'total' : settings['total_path'], report, path),
        ...flag,
      }
    case 'page_number':
      if (typeof settings['total_path'] === 'string')
        report.lost(`${path}.total_path`, 'a number of pages: a page without items is the last')
      return {
        method: 'pagenum',
        ...text('pageParam', settings['page_param']),
        firstPage: Number(settings['page'] ?? settings['base_page'] ?? 0),
        ...flag,
      }
    default:
      return {
        method: 'json-cursor',
        param: String(settings['cursor_body_path'] ?? settings['cursor_param'] ?? 'cursor'),
        cursorPath: bare(String(settings['cursor_path'] ?? 'cursors.next')),
        ...flag,
      }
  }
}

const text = (key: string, value: Json | undefined): JsonObject =>
  typeof value === 'string' ? { [key]: value } : {}

/** A field that is missing would end the job, so it is taken only where the configuration names it. */
const totalOf = (path: Json, report: Report, at: string): JsonObject => {
  if (typeof path !== 'string') return {}
  if (path === 'total') return {}
  if (/[*[?]/.test(bare(path))) {
    report.lost(`${at}.total_path`, 'a path that is no plain one')
    return {}
  }
  return { limitStop: { field: bare(path) } }
}
