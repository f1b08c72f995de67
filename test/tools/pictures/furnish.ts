import { readFileSync } from 'node:fs'
import { callApi } from '#local/demo/call-api.ts'
import { putObject } from '#local/demo/put-object.ts'
import type { EmbeddedCloud } from '#local/runtime/embedded-cloud.ts'
import { hasEnded, poll } from '#support/poll.ts'
import { type ApiServer, startApi } from '../../functions/lib/extractor/api-server.ts'

const COMPONENT = 'ex-generic-v2'

const orders = (file: string): Buffer =>
  readFileSync(new URL(`../../../local/demo/data/${file}`, import.meta.url))

/** A web shop: lists in pages by offset. */
export const startShop = (): Promise<ApiServer> =>
  startApi(({ path, query }) => {
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 100)]
    const length = path === '/orders' ? 1_240 : 230
    return Array.from({ length }, (_, index) => ({
      id: index + 1,
      name: `${path.slice(1, -1)} ${index + 1}`,
      city: ['Praha', 'Brno', 'Köln', 'Łódź', 'Århus'][index % 5],
      total_eur: (index % 97) * 1.25,
    })).slice(offset, offset + limit)
  })

const shopOf = ({ origin }: ApiServer) => ({
  parameters: {
    api: { baseUrl: origin, pagination: { method: 'offset', limit: 100 } },
    config: { '#token': 'not-shown', outputBucket: 'web-shop' },
  },
  schedule: { expression: 'cron(0 6 * * ? *)', timezone: 'Europe/Prague' },
})

const rowOf = (endpoint: string) => ({
  parameters: { config: { jobs: [{ endpoint }] } },
})

/**
 * A small installation as people have it: tables, an extraction that ran, a file that failed, a token with few rights, which it
 * returns.
 */
export const furnish = async (cloud: EmbeddedCloud, shop: ApiServer): Promise<string> => {
  const call = (method: string, path: string, body?: unknown) => callApi(cloud, method, path, body)
  const land = (key: string, body: Buffer, metadata: Record<string, string> = {}) =>
    putObject(cloud, { bucket: cloud.landingBucket ?? '', key, body, metadata })
  const listed = (path: string, least: number) =>
    poll(
      async () => (await call('GET', path)) as unknown[], // a list, by the documentation
      found => found.length >= least,
    )

  await land('in.c-shop/orders.csv', orders('orders.csv'), { 'primary-key': 'order_id' })
  await listed('jobs', 1)
  await land('in.c-shop/customers.csv', Buffer.from('id,name,city\n1,Anna,Brno\n2,Ben\n'))
  await land('in.c-main/people.csv', Buffer.from('id,name,born\n1,Anna,1987-02-03\n2,Ben,1990-11-30\n'))
  await listed('dead-letters', 1)

  const configs = `components/${COMPONENT}/configs`
  await call('POST', configs, {
    configurationId: 'web-shop',
    name: 'Web shop',
    description: 'Orders and customers of the web shop',
    configuration: shopOf(shop),
  })
  for (const name of ['customers', 'orders'])
    await call('POST', `${configs}/web-shop/rows`, { rowId: name, name, configuration: rowOf(name) })
  await call('PUT', `${configs}/web-shop`, {
    description: 'Orders and customers of the web shop, each morning',
    changeDescription: 'Says when',
  })
  await call('POST', configs, {
    configurationId: 'crm',
    name: 'CRM contacts',
    configuration: {
      parameters: {
        // Nobody listens there, and two tries say so at once.
        api: { baseUrl: 'http://127.0.0.1:9', retryConfig: { maxRetries: 1 } },
        config: { jobs: [{ endpoint: 'contacts' }] },
      },
    },
  })
  await call('POST', `${configs}/web-shop/run`)
  await call('POST', `${configs}/crm/run`)
  await listed('runs', 2)
  const dashboards = (await call('POST', 'tokens', {
    description: 'Dashboards',
    bucketPermissions: { 'in.c-shop': 'read' },
  })) as { token: string } // by the documentation
  await call('POST', 'tables/in.c-shop.orders/snapshots', { description: 'Before the spring sale' })
  await call('POST', 'tables/in.c-shop.orders/export-async', {})
  await poll(
    async () => (await call('GET', 'jobs')) as { status: string }[], // the same
    jobs => jobs.every(hasEnded),
  )
  return dashboards.token
}
