import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { createServer } from '#lib/node-http.ts'
import { closeServer, listen } from '../http/listening.ts'
import type { Service } from './service.ts'

/** The second act: an HTTP API becomes tables, by a stored configuration with two rows. */
const CONFIGS = 'components/ex-generic-v2/configs'
const CONFIG_ID = 'web-shop'

/** What both rows share: the address of the API, its login, its pagination. */
const rootOf = ({ url, user, password }: ShopApi) => ({
  parameters: {
    api: {
      baseUrl: url,
      authentication: {
        type: 'login',
        loginRequest: {
          endpoint: 'login',
          method: 'POST',
          params: { user: { attr: 'user' }, password: { attr: '#password' } },
        },
        apiRequest: {
          headers: { Authorization: { function: 'concat', args: ['Bearer ', { response: 'token' }] } },
        },
        expires: { response: 'expiresIn', relative: true },
      },
      pagination: { method: 'offset', limit: 100 },
    },
    config: { user, '#password': password, outputBucket: 'web-shop' },
  },
})

const CUSTOMERS_ROW = { parameters: { config: { jobs: [{ endpoint: 'customers', dataField: 'data' }] } } }

/** Asks only for what changed since the last run began; the table keeps the rest. An order's items are one JSON column. */
const ORDERS_ROW = {
  parameters: {
    config: {
      incrementalOutput: true,
      jobs: [
        {
          endpoint: 'orders',
          dataField: 'data',
          responseFilter: 'items',
          params: {
            updatedSince: { function: 'date', args: ['Y-m-d\\TH:i:s', { time: 'previousStart' }] },
          },
        },
      ],
    },
  },
  storage: {
    output: {
      tables: [{ source: 'web-shop.orders', destination: 'in.c-web-shop.orders', primary_key: ['id'] }],
    },
  },
}

const ROWS = [
  { rowId: '1', name: 'customers', configuration: CUSTOMERS_ROW },
  { rowId: '2', name: 'orders', configuration: ORDERS_ROW },
]

const jobSchema = z.object({
  id: z.number(),
  status: z.string(),
  error: z.object({ message: z.string() }).optional(),
  results: z
    .object({
      requests: z.number(),
      rows: z.array(
        z.object({
          name: z.string(),
          seconds: z.number(),
          tables: z.array(z.object({ tableId: z.string(), rows: z.number() })),
          jobs: z.array(
            z.object({ endpoint: z.string(), pages: z.number(), ended: z.record(z.string(), z.number()) }),
          ),
        }),
      ),
    })
    .nullish()
    .catch(undefined),
})

export const extractionAct = async (
  { call, counts, rows: rowsOf }: Service,
  shop: ShopApi,
  say: (text?: string) => void,
): Promise<void> => {
  const run = async (): Promise<void> => {
    let job = jobSchema.parse(await call('POST', `${CONFIGS}/${CONFIG_ID}/run`))
    say(`\n> POST ${CONFIGS}/${CONFIG_ID}/run -> job ${job.id}`)
    // The API answers when the job has ended, after a second at the latest.
    while (job.status === 'waiting' || job.status === 'processing')
      job = jobSchema.parse(await call('GET', `jobs/${job.id}`))
    if (!job.results) throw new Error(`The extraction failed: ${job.error?.message}`)
    for (const { name, seconds, tables, jobs } of job.results.rows) {
      const loaded = tables.map(({ tableId, rows }) => `${tableId} +${rows}`)
      say(`  row "${name}", ${seconds} s: ${loaded.join(', ')}`)
      for (const { endpoint, pages, ended } of jobs)
        say(`    ${endpoint}: ${pages} requests, then ${Object.keys(ended).join('; ')}`)
    }
    say(`  the API saw ${job.results.requests} requests, logins included`)
    for (const table of ['customers', 'orders']) say(await counts(`in.c-web-shop.${table}`))
  }

  say(
    `\n3. A web shop's HTTP API (here ${shop.url}) with a login and pages, read by a configuration with two rows.`,
  )
  await call('POST', CONFIGS, { configurationId: CONFIG_ID, name: 'Web shop', configuration: rootOf(shop) })
  for (const row of ROWS) await call('POST', `${CONFIGS}/${CONFIG_ID}/rows`, row)
  await run()

  const { orders, deliveries } = shop.goOn()
  say(
    `\n4. The shop sells: ${orders} new orders, ${deliveries} deliveries. The second run asks for what changed since.`,
  )
  await run()
  const delivered = {
    columns: 'id,totalEur,status,items',
    whereColumn: 'status',
    'whereValues[]': 'delivered',
  }
  say(await rowsOf('in.c-web-shop.orders', delivered))
}

type ShopApi = Awaited<ReturnType<typeof startShopApi>>

const CUSTOMERS = 230
const ORDERS = 1_240
/** The largest page, whatever the client asks for. */
const LARGEST_PAGE = 100
const LONG_AGO = Date.parse('2026-01-01T00:00:00Z')
const CITIES = ['Praha', 'Brno', 'Köln', 'Łódź', 'Århus']

const listOf = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index))

const makeOrder = (id: number, updatedAt: Date) => ({
  id,
  customerId: (id % CUSTOMERS) + 1,
  totalEur: (id % 97) * 1.25,
  status: 'new',
  items: listOf((id % 3) + 1, index => ({ sku: `SKU-${(id + index) % 50}`, count: index + 1 })),
  updatedAt: updatedAt.toISOString(),
})

/** A typical web shop's HTTP API: a login that gives a token, and lists in pages by offset. */
export const startShopApi = async () => {
  const [user, password, token] = ['millrace', randomUUID(), randomUUID()]
  const customers = listOf(CUSTOMERS, index => ({
    id: index + 1,
    name: `Customer ${index + 1}`,
    address: { city: CITIES[index % CITIES.length], zip: String(10_000 + index) },
  }))
  const orders = listOf(ORDERS, index => makeOrder(index + 1, new Date(LONG_AGO + index * 60_000)))

  const answerTo = async (request: IncomingMessage): Promise<[status: number, body: object]> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop')
    if (pathname === '/login')
      return (await text(request)) === JSON.stringify({ user, password })
        ? [200, { token, expiresIn: 3600 }]
        : [401, { error: 'wrong user or password' }]
    if (request.headers.authorization !== `Bearer ${token}`) return [401, { error: 'log in first' }]
    const since = searchParams.get('updatedSince') ?? ''
    const all = pathname === '/customers' ? customers : orders.filter(order => order.updatedAt >= since)
    const offset = Number(searchParams.get('offset') ?? 0)
    const limit = Math.min(LARGEST_PAGE, Number(searchParams.get('limit') ?? LARGEST_PAGE))
    return [200, { total: all.length, data: all.slice(offset, offset + limit) }]
  }
  const server = createServer(async (request, response) => {
    const [status, body] = await answerTo(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  return {
    url: `http://127.0.0.1:${await listen(server)}/`,
    user,
    password,
    /** Some customers order something, and some orders are delivered. */
    goOn: () => {
      const now = new Date()
      for (const order of orders.slice(0, 5))
        Object.assign(order, { status: 'delivered', updatedAt: now.toISOString() })
      for (let count = 0; count < 12; count++) orders.push(makeOrder(orders.length + 1, now))
      return { orders: 12, deliveries: 5 }
    },
    close: () => closeServer(server),
  }
}
