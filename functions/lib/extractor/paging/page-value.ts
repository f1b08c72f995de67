import type { Json } from '../../json/json-value.ts'
import { evaluate } from '../values/functions/evaluate.ts'
import type { Page } from './paginator.ts'

/**
 * What an expression gives for a page: `response`, `headers`, `last` (the last item) and `count` (of items)
 * (docs/reference/extractor-pagination.md#expressions).
 */
export const pageValue = (expression: unknown, page: Page, path: string): Json => {
  const contexts = {
    headers: page.headers,
    count: page.items.length,
    // Read only where the expression names them: they may have to be parsed
    get response() {
      return page.response
    },
    get last() {
      let last: Json = null
      for (const item of page.items) last = item
      return last
    },
  }
  return evaluate(expression, contexts as Record<string, Json>, { path }) // headers are texts
}
