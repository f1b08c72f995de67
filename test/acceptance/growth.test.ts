import { expect, it } from 'vitest'
import type { ItemTable } from '#lib/items/item-table.ts'
import { withStorage } from '#support/storage-service.ts'
import { createCatalogClient } from '../functions/storage-api/iceberg/support.ts'

/*
 * What a look at one thing reads does not grow with what else there is. Lists and searches read what they list, and are
 * not here.
 */

interface Size {
  tables: number
  buckets: number
  files: number
  tokens: number
  events: number
}

/** Tables enough for each of the parts in which the totals of a bucket lie. */
const small: Size = { tables: 30, buckets: 4, files: 10, tokens: 4, events: 10 }
const large: Size = { tables: 60, buckets: 40, files: 150, tokens: 40, events: 100 }

const growingProject = async () => {
  const read = { items: 0 }
  const counting = (items: ItemTable): ItemTable => ({
    ...items,
    async get(key) {
      read.items += 1
      return items.get(key)
    },
    async getMany(keys) {
      read.items += keys.length
      return items.getMany(keys)
    },
    async *query(pk, range) {
      for await (const item of items.query(pk, range)) {
        read.items += 1
        yield item
      }
    },
  })
  const service = await withStorage({ items: counting })
  const ok = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const reply = await service.call(method, `/v2/storage/${path}`, body, headers)
    expect([path, reply.status, reply.body?.status]).not.toContainEqual(expect.stringMatching(/^error/))
    expect(reply.status, `${method} ${path}: ${reply.text}`).toBeLessThan(300)
    return reply.body
  }
  const main = await service.createBucket('main')
  await service.createTable(main, 'orders', 'id,name\n1,a\n')
  await ok('POST', 'files/prepare', { name: 'wanted', tags: ['wanted'] })
  const dataFile = await service.upload('id,name\n2,b\n')

  let [there, tableNumber] = [{ tables: 0, buckets: 0, files: 0, tokens: 0, events: 0 }, 0]
  const grow = async (to: Size) => {
    for (; there.tables < to.tables; there.tables++)
      await ok('POST', `buckets/${main}/tables-definition`, {
        name: `other-${there.tables}`,
        primaryKeysNames: [],
        columns: [{ name: 'id' }],
      })
    for (; there.buckets < to.buckets; there.buckets++) {
      const id = await service.createBucket(`b${there.buckets}`)
      await ok('POST', `buckets/${id}/tables-definition`, {
        name: 'one',
        primaryKeysNames: [],
        columns: [{ name: 'id' }],
      })
    }
    for (; there.files < to.files; there.files++)
      await ok('POST', 'files/prepare', { name: `f${there.files}`, tags: ['other', `t${there.files}`] })
    for (; there.tokens < to.tokens; there.tokens++)
      await ok('POST', 'tokens', { description: `t${there.tokens}`, canManageBuckets: true })
    for (; there.events < to.events; there.events++)
      await ok('POST', 'events', { component: 'test', message: `e${there.events}` })
  }

  const catalog = createCatalogClient(service)
  const operations: Record<string, () => Promise<unknown>> = {
    'table detail': () => ok('GET', `tables/${main}.orders`),
    'update of a table': () => ok('PUT', `tables/${main}.orders`, { displayName: `o${there.tables}` }),
    'creation of a table': () =>
      ok('POST', `buckets/${main}/tables-async`, { name: `new${tableNumber++}`, dataFileId: dataFile }),
    'definition of a table': () =>
      ok('POST', `buckets/${main}/tables-definition`, {
        name: `new${tableNumber++}`,
        primaryKeysNames: [],
        columns: [{ name: 'id' }],
      }),
    import: () => ok('POST', `tables/${main}.orders/import-async`, { dataFileId: dataFile }),
    export: () => ok('POST', `tables/${main}.orders/export-async`, { limit: 1 }),
    preview: () => ok('GET', `tables/${main}.orders/data-preview`),
    'loadTable of the catalogue': () => catalog.get('namespaces/in_c_main/tables/orders'),
    verification: () => ok('GET', 'tokens/verify'),
    'creation of a token': () =>
      ok('POST', 'tokens', { description: 'new', bucketPermissions: { [main]: 'read' } }),
    'files by a tag': () => ok('GET', 'files?tags[]=wanted'),
    'file creation': () => ok('POST', 'files/prepare', { name: 'x', tags: ['new'] }),
    'creation of a bucket': () => service.createBucket(`made${tableNumber++}`),
    'creation of an event': () => ok('POST', 'events', { component: 'test', message: 'hello' }),
  }
  const measure = async (): Promise<Record<string, number>> => {
    const found: Record<string, number> = {}
    for (const [name, run] of Object.entries(operations)) {
      await run()
      await service.jobsEnded()
      read.items = 0
      await run()
      await service.jobsEnded()
      found[name] = read.items
    }
    return found
  }
  return { grow, measure }
}

it('reads as many items of a large project as of a small one, for whatever is about one thing', async () => {
  const project = await growingProject()
  await project.grow(small)
  const before = await project.measure()
  await project.grow(large)
  const after = await project.measure()
  const more = (of: 'buckets' | 'tokens') => large[of] - small[of]
  const listed: Record<string, number> = {
    // Its reply names every bucket and sums them up: of each the name and the totals are read, and nothing of its tables.
    verification: 2 * more('buckets'),
    // A namespace in the words of SQL may stand for several buckets, so their names are looked through.
    'loadTable of the catalogue': more('buckets') + 2,
    // What tokens may do in a bucket of that name which is gone is withdrawn.
    'creation of a bucket': more('tokens') + 3,
  }
  const grown = Object.entries(after).filter(
    ([name, items]) => items - (listed[name] ?? 0) > 1.2 * (before[name] ?? 0),
  )
  expect(grown.map(([name, items]) => `${name}: ${before[name]} -> ${items}`)).toEqual([])
})
