import { evaluateExpression } from '#lib/extractor/values/functions/expression/evaluate-expression.ts'
import { joined, parseTemplate } from '#lib/extractor/values/functions/expression/parse-expression.ts'
import { TextBudget } from '#lib/extractor/values/php/text-budget.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { PAGE } from './placed-manifest.ts'
import { inner } from './streams-of.ts'

export const ROWS = 2 * PAGE + 1

export const evaluated = (template: Json | undefined, contexts: JsonObject): Json | undefined => {
  if (typeof template !== 'string') return template
  try {
    const tree = joined(parseTemplate(template))
    return evaluateExpression(
      tree,
      { parameters: {}, ...contexts },
      { now: Date.now() / 1000, budget: new TextBudget() },
    )
  } catch {
    return undefined
  }
}

/** What is beside the rows of a page so that the manifest goes on, or ends, after it. */
export interface PageEnd {
  body: JsonObject
  /** What the next request asks with. */
  token: Json | undefined
}

/**
 * Looks for values of what a cursor and its stop condition read of an answer, with which they say what is so: pages follow, or none do.
 * Nothing: none was found.
 */
export const pageEnd = (
  stream: JsonObject,
  config: JsonObject,
  page: JsonObject,
  from: number,
  address: string,
): PageEnd | undefined => {
  const strategy = inner(inner(inner(stream, 'retriever'), 'paginator'), 'pagination_strategy')
  const isLast = from + PAGE >= ROWS
  if (strategy['type'] !== 'CursorPagination') return { body: {}, token: undefined }
  const [cursor, stop] = [String(strategy['cursor_value'] ?? ''), String(strategy['stop_condition'] ?? '')]
  const isRead = (path: string): boolean => valueAt(page, path.split('.')) === undefined
  const ofCursor = pathsIn(cursor).filter(isRead)
  const ofStop = pathsIn(stop).filter(path => isRead(path) && !ofCursor.includes(path))
  const number = from / PAGE + 1
  const pages = Math.ceil(ROWS / PAGE)
  const isAddress =
    inner(inner(inner(stream, 'retriever'), 'paginator'), 'page_token_option')['type'] === 'RequestPath'
  const others: Json[] = [`c${from + PAGE}`, number, from + PAGE, true]
  const more: Json[] = isAddress ? [address, ...others] : [...others, address]
  const paths = [...ofCursor, ...ofStop]
  const choices: Json[][] = [
    ...ofCursor.map((): Json[] => (isLast ? [null, '', number, pages, ROWS, false] : more)),
    ...ofStop.map((): Json[] =>
      isLast
        ? [false, true, null, pages, number, ROWS, 0]
        : [true, false, null, pages, number, ROWS, 9_999, 'x'],
    ),
  ]
  const links: Json = isLast ? {} : { next: { url: address } }
  for (const values of combinations(choices.slice(0, 4))) {
    const body: JsonObject = {}
    for (const [index, path] of paths.entries()) put(body, path.split('.'), values[index] ?? null)
    const rows = rowsIn(page)
    const contexts: JsonObject = {
      config,
      response: deepMerged(page, body),
      headers: { link: links, Link: links },
      last_record: rows.at(-1) ?? null,
      last_page_size: rows.length,
    }
    const isEnd = stop !== '' && isTrue(evaluated(stop, contexts))
    const token = evaluated(cursor, contexts)
    if (isLast ? isEnd || !isTrue(token) : !isEnd && isTrue(token)) return { body, token }
  }
  return undefined
}

const isTrue = (value: Json | undefined): boolean =>
  !['', 'None', 'False', 'false', '[]', '{}'].includes(String(value ?? '')) && value !== false && value !== 0

const pathsIn = (template: string): string[] => [
  ...new Set(
    [
      ...template.matchAll(
        /\bresponse((?:\.(?!get\()\w+|\[\s*['"][^'"]+['"]\s*\]|\.get\(\s*['"][^'"]+['"][^)]*\))+)/g,
      ),
    ].map(([, path = '']) =>
      [...path.matchAll(/\.get\(\s*['"]([^'"]+)['"][^)]*\)|\[\s*['"]([^'"]+)['"]\s*\]|\.(\w+)/g)]
        .map(([, a, b, c]) => a ?? b ?? c ?? '')
        .join('.'),
    ),
  ),
]

export const rowsIn = (page: Json): JsonObject[] => {
  if (Array.isArray(page)) return page.filter(isObject)
  if (!isObject(page)) return []
  return (
    Object.values(page)
      .map(rowsIn)
      .find(rows => rows.length > 0) ?? []
  )
}

export const valueAt = (of: Json | undefined, [key, ...others]: readonly string[]): Json | undefined =>
  key === undefined ? of : isObject(of) ? valueAt(of[key], others) : undefined

export const put = (into: JsonObject, [key = '', ...others]: readonly string[], value: Json): void => {
  if (others.length === 0) {
    into[key] = value
    return
  }
  const below = into[key]
  const next: JsonObject = isObject(below) ? below : {}
  into[key] = next
  put(next, others, value)
}

export const deepMerged = (one: JsonObject, other: JsonObject): JsonObject => {
  const all: JsonObject = { ...one }
  for (const [key, value] of Object.entries(other)) {
    const before = all[key]
    all[key] = isObject(before) && isObject(value) ? deepMerged(before, value) : value
  }
  return all
}

function* combinations(choices: readonly Json[][]): Generator<Json[]> {
  const [first, ...others] = choices
  if (first === undefined) {
    yield []
    return
  }
  for (const rest of combinations(others)) for (const value of first) yield [value, ...rest]
}
