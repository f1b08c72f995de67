import type { PaginationOf } from '../config/pagination-schema.ts'
import { resolveUrl } from '../requests/http/resolve-url.ts'
import { besideAddress, type Paginator, type PaginatorInput, pageRequest } from './paginator.ts'

/**
 * The next address is in the `Link` header: `<https://api.example/items?page=2>; rel="next"` (RFC 8288). Relative
 * addresses are resolved against the page's own. Default relation `next`.
 *
 * ```
 * { "method": "header-link" }
 * GET /orders           200 [items]    Link: </orders?page=2>; rel="next"
 * GET /orders?page=2    200 [items]                       no next link: the last page
 * ```
 */
export const headerLinkPaginator = (
  settings: PaginationOf<'header-link'>,
  input: PaginatorInput,
): Paginator => {
  const relation = (settings.rel || 'next').toLowerCase()
  const params = besideAddress(input, settings)
  return {
    first: pageRequest(input),
    next: page => {
      const target = findLink([page.headers['link'] ?? ''].flat().join(', '), relation)
      if (target === undefined) return undefined
      return pageRequest(input, { endpoint: resolveUrl(page.url, target).href, params })
    },
    toldBy: 'answer',
    toldByHeader: true,
    ended: `the response has no link with relation "${relation}"`,
  }
}

/**
 * The target of the first link with the relation; a link may have several relations with blanks between. Reads on over
 * whatever a server writes wrongly beside it (docs/decisions/0011-readers-of-our-own.md).
 */
export const findLink = (field: string, relation: string): string | undefined => {
  // Commas part links outside of quotes and angle brackets, where something follows that may be a target
  const links = field.match(/(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|\\.|(?!,\s*(?:<|https?:\/\/|\/)).)+/gi) ?? []
  for (const link of links) {
    const [start = '', target, bare] = /^(?:[^<"=]*<([^>]*)>|[\s,]*([^\s<;]+))/.exec(link) ?? []
    // Each parameter whole: a title may hold what looks like one
    const found = [
      ...link
        .slice(start.length)
        .matchAll(/;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;,]*))/g),
    ].find(([, name]) => name?.toLowerCase() === 'rel')
    const relations = (found?.[2] ?? found?.[3] ?? found?.[4] ?? '').toLowerCase().split(/\s+/)
    if (relations.includes(relation)) return (target ?? bare)?.trim()
  }
  return undefined
}
