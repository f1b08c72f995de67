import type { Answer } from '../api-server.ts'

interface Contact {
  id: string
  changed: number
}

/** Search never leads beyond so many results. */
const MOST_FOUND = 6

/**
 * As a system for customers lists contacts: `paging.next.after` in the answer, in the query of a list and in the body of a search. The
 * last page has no `paging`. A search refuses `after` beyond its bound.
 */
export const crmApi =
  (contacts: readonly Contact[]): Answer =>
  ({ path, method, query, body }, response) => {
    const paged = (found: readonly Contact[], after: number, limit: number) => ({
      results: found.slice(after, after + limit).map(({ id, changed }) => ({ id, properties: { changed } })),
      ...(after + limit < found.length
        ? { paging: { next: { after: String(after + limit), link: `?after=${after + limit}` } } }
        : {}),
    })
    if (path === '/crm/contacts' && method === 'GET')
      return paged(contacts, Number(query.get('after') ?? 0), Number(query.get('limit') ?? 10))
    const deals = /^\/crm\/contacts\/(\w+)\/deals$/.exec(path)
    if (deals !== null)
      return query.has('after')
        ? { results: [{ id: `${deals[1]}-2` }] }
        : { results: [{ id: `${deals[1]}-1` }], paging: { next: { after: 'x=/+' } } }
    if (path === '/crm/contacts/search' && method === 'POST') {
      const { after = 0, limit = 10, from = 0, to = Number.MAX_SAFE_INTEGER } = JSON.parse(body)
      const found = contacts.filter(({ changed }) => changed >= from && changed < to)
      if (Number(after) < MOST_FOUND) return { total: found.length, ...paged(found, Number(after), limit) }
      response.statusCode = 400
      return { message: `no more than ${MOST_FOUND} results` }
    }
    response.statusCode = 404
    return {}
  }
