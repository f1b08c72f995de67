import type { Answer } from '../api-server.ts'

interface Order {
  id: number
  updated_at: string
}

/**
 * As a shop system lists its orders: pages by the `Link` header, whose addresses carry `page_info`. With it no parameter but `limit` is
 * allowed, as it has the filter of the first page inside. Asks for a token in a header of its own.
 */
export const shopApi =
  (orders: readonly Order[], token: string): Answer =>
  ({ path, query, headers }, response) => {
    const refuse = (status: number, errors: string) => {
      response.statusCode = status
      return { errors }
    }
    if (headers['x-shop-access-token'] !== token) return refuse(401, 'invalid token')
    const limit = Number(query.get('limit') ?? 50)
    const info = query.get('page_info')
    if (info !== null && [...query.keys()].some(name => name !== 'page_info' && name !== 'limit'))
      return refuse(400, 'no other parameter may be given with page_info')
    const transactions = /^\/admin\/orders\/(\d+)\/transactions\.json$/.exec(path)
    if (transactions !== null) return { transactions: [{ id: `t${transactions[1]}`, amount: '9.90' }] }
    if (path !== '/admin/orders.json') return refuse(404, 'not found')
    const page: { from: number; filter: string } =
      info === null
        ? { from: 0, filter: String(query) }
        : JSON.parse(Buffer.from(info, 'base64url').toString()) // as written below
    const filter = new URLSearchParams(page.filter)
    const min = filter.get('updated_at_min') ?? ''
    const max = filter.get('updated_at_max') ?? '9999'
    const found = orders.filter(({ updated_at }) => updated_at >= min && updated_at <= max)
    const link = (from: number, relation: string): string => {
      const target = Buffer.from(JSON.stringify({ from, filter: page.filter })).toString('base64url')
      return `<http://${headers.host}${path}?limit=${limit}&page_info=${target}>; rel="${relation}"`
    }
    const links = [
      ...(page.from > 0 ? [link(Math.max(0, page.from - limit), 'previous')] : []),
      ...(page.from + limit < found.length ? [link(page.from + limit, 'next')] : []),
    ]
    if (links.length > 0) response.setHeader('Link', links.join(', '))
    return { orders: found.slice(page.from, page.from + limit) }
  }
