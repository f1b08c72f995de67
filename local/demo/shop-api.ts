import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createServer } from '#lib/node-http.ts'

/** A typical web shop's HTTP API: a login that gives a token, and lists in pages by offset. */
export interface ShopApi {
  url: string
  user: string
  password: string
  /** The number of requests since the last call. */
  takeRequests(): number
  /** Some customers order something, and some orders are delivered. */
  goOn(): { orders: number; deliveries: number }
  close(): Promise<void>
}

interface Order {
  id: number
  customerId: number
  totalEur: number
  status: string
  items: { sku: string; count: number }[]
  updatedAt: string
}

const CUSTOMERS = 230
const ORDERS = 1_240
/** The largest page, whatever the client asks for. */
const LARGEST_PAGE = 100
const LONG_AGO = Date.parse('2026-01-01T00:00:00Z')
const CITIES = ['Praha', 'Brno', 'Köln', 'Łódź', 'Århus']

const customers = Array.from({ length: CUSTOMERS }, (_, index) => ({
  id: index + 1,
  name: `Customer ${index + 1}`,
  address: { city: CITIES[index % CITIES.length], zip: String(10_000 + index) },
}))

const makeOrder = (id: number, updatedAt: Date): Order => ({
  id,
  customerId: (id % CUSTOMERS) + 1,
  totalEur: (id % 97) * 1.25,
  status: 'new',
  items: Array.from({ length: (id % 3) + 1 }, (_, index) => ({
    sku: `SKU-${(id + index) % 50}`,
    count: index + 1,
  })),
  updatedAt: updatedAt.toISOString(),
})

export const startShopApi = async (): Promise<ShopApi> => {
  const [user, password] = ['millrace', randomUUID()]
  const tokens = new Set<string>()
  const orders = Array.from({ length: ORDERS }, (_, index) =>
    makeOrder(index + 1, new Date(LONG_AGO + index * 60_000)),
  )
  let requests = 0

  const logIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const given: unknown = JSON.parse(await text(request))
    const isRight = JSON.stringify(given) === JSON.stringify({ user, password }) && request.method === 'POST'
    const token = randomUUID()
    if (isRight) tokens.add(token)
    if (isRight) send(response, 200, { token, expiresIn: 3600 })
    else send(response, 401, { error: 'wrong user or password' })
  }

  const list = (url: URL, request: IncomingMessage, response: ServerResponse): void => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    const since = url.searchParams.get('updatedSince') ?? ''
    const all = url.pathname === '/customers' ? customers : orders.filter(order => order.updatedAt >= since)
    const offset = Number(url.searchParams.get('offset') ?? 0)
    const limit = Math.min(LARGEST_PAGE, Number(url.searchParams.get('limit') ?? LARGEST_PAGE))
    if (!tokens.has(token)) send(response, 401, { error: 'log in first' })
    else send(response, 200, { total: all.length, data: all.slice(offset, offset + limit) })
  }

  const server = createServer((request, response) => {
    requests++
    const url = new URL(request.url ?? '/', 'http://shop')
    if (url.pathname === '/login') void logIn(request, response)
    else if (['/customers', '/orders'].includes(url.pathname)) list(url, request, response)
    else send(response, 404, { error: 'no such list' })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // It listens on a port.

  return {
    url: `http://127.0.0.1:${port}/`,
    user,
    password,
    takeRequests: () => {
      const taken = requests
      requests = 0
      return taken
    },
    goOn: () => {
      const now = new Date()
      for (const order of orders.slice(0, 5))
        Object.assign(order, { status: 'delivered', updatedAt: now.toISOString() })
      for (let count = 0; count < 12; count++) orders.push(makeOrder(orders.length + 1, now))
      return { orders: 12, deliveries: 5 }
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
