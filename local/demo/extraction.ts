import { z } from 'zod'
import type { CloudFacts } from '../runtime/embedded-cloud.ts'
import { callApi } from './call-api.ts'
import type { ShopApi } from './shop-api.ts'
import { showCounts, showRows } from './show-table.ts'

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

const resultsSchema = z.object({
  rowsLoaded: z.number(),
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

const jobSchema = z.object({
  id: z.number(),
  status: z.string(),
  results: z.unknown(),
  error: z.object({ message: z.string() }).optional(),
})

export const extractionAct = async (
  cloud: CloudFacts,
  shop: ShopApi,
  say: (text?: string) => void,
): Promise<void> => {
  const call = (method: string, path: string, body?: unknown) => callApi(cloud, method, path, body)

  const run = async (): Promise<void> => {
    shop.takeRequests()
    let job = jobSchema.parse(await call('POST', `${CONFIGS}/${CONFIG_ID}/run`))
    say(`\n> POST ${CONFIGS}/${CONFIG_ID}/run -> job ${job.id}`)
    // The API answers when the job has ended, after a second at the latest.
    while (job.status === 'waiting' || job.status === 'processing')
      job = jobSchema.parse(await call('GET', `jobs/${job.id}`))
    if (job.status !== 'success') throw new Error(`The extraction failed: ${job.error?.message}`)
    const { rows } = resultsSchema.parse(job.results)
    for (const { name, seconds, tables, jobs } of rows) {
      say(
        `  row "${name}", ${seconds} s: ${tables.map(table => `${table.tableId} +${table.rows}`).join(', ')}`,
      )
      for (const { endpoint, pages, ended } of jobs)
        say(`    ${endpoint}: ${pages} requests, then ${Object.keys(ended).join('; ')}`)
    }
    say(`  the API saw ${shop.takeRequests()} requests, logins included`)
    for (const table of ['customers', 'orders']) say(await showCounts(cloud, `in.c-web-shop.${table}`))
  }

  say(
    `\n3. A web shop's HTTP API (here ${shop.url}) with a login and pages, read by a configuration with two rows.`,
  )
  await call('POST', CONFIGS, { configurationId: CONFIG_ID, name: 'Web shop', configuration: rootOf(shop) })
  await call('POST', `${CONFIGS}/${CONFIG_ID}/rows`, {
    rowId: '1',
    name: 'customers',
    configuration: CUSTOMERS_ROW,
  })
  await call('POST', `${CONFIGS}/${CONFIG_ID}/rows`, {
    rowId: '2',
    name: 'orders',
    configuration: ORDERS_ROW,
  })
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
  say(await showRows(cloud, 'in.c-web-shop.orders', delivered))
}
