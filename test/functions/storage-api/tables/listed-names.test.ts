import { beforeEach, describe, expect, it } from 'vitest'
import type { ItemTable } from '#lib/items/item-table.ts'
import { withStorage } from '#support/storage-service.ts'

/** Heads of tables that were read whole: by lists of a bucket, and one by one. */
const reads = { listed: 0, single: [] as string[] }
const countingHeads = (items: ItemTable): ItemTable => ({
  ...items,
  get: key => {
    if (key.sk.startsWith('TABLE#')) reads.single.push(key.sk)
    return items.get(key)
  },
  query: async function* (pk, range) {
    for await (const item of items.query(pk, range)) {
      if (String(item['sk'] ?? range.from).startsWith('TABLE#') && !range.attributes) reads.listed += 1
      yield item
    }
  },
})

const service = await withStorage({ items: countingHeads })
const bucketId = await service.createBucket('main')
for (const name of ['a', 'b', 'c']) await service.createTable(bucketId, name, 'id\n1\n')
await service.call('POST', `/v2/storage/buckets/${bucketId}/table-aliases`, {
  name: 'alias',
  sourceTable: `${bucketId}.a`,
})
beforeEach(() => {
  reads.listed = 0
  reads.single = []
})

describe('the tables of a bucket are listed by name alone', () => {
  it('to refuse a display name that another table or an alias has', async () => {
    for (const name of ['b', 'alias']) {
      const target = `/v2/storage/tables/${bucketId}.c`
      const { body } = await service.call('PUT', target, { displayName: name })
      expect(body.code).toBe('storage.buckets.tableAlreadyExists')
    }
    expect(reads.listed).toBe(0)
  })

  it('to search them', async () => {
    const { body } = await service.call('GET', '/v2/storage/global-search?query=alias&types[]=table')
    expect(body.items).toMatchObject([{ id: `${bucketId}.alias`, name: 'alias' }])
    expect(reads.listed).toBe(0)
  })

  it('to refuse to delete a bucket that holds some', async () => {
    const { status, body } = await service.call('DELETE', `/v2/storage/buckets/${bucketId}`)
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'buckets.deleteNotEmpty' })
    expect(body.error).toContain('There are 4 tables')
    expect(reads.listed).toBe(0)
  })

  it('and not at all to see the last imports of those that a trigger watches', async () => {
    const { status } = await service.call('POST', '/v2/storage/triggers', {
      runWithTokenId: 1,
      component: 'ex-generic-v2',
      configurationId: 1,
      coolDownPeriodMinutes: 5,
      tableIds: [`${bucketId}.b`],
    })
    expect(status).toBeLessThan(500)
    expect(reads.listed).toBe(0)
    expect(reads.single.filter(sk => /^TABLE#[ac]$/.test(sk))).toEqual([])
  })
})

it('heads are read where the sizes of all tables are shown', async () => {
  const { body } = await service.call('GET', `/v2/storage/buckets/${bucketId}`)
  expect(body).toMatchObject({ rowsCount: 3 })
  expect(body.tables).toHaveLength(4)
  expect(reads.listed).toBe(4)
})

it('the size of the project is kept, and reads no heads', async () => {
  const { body } = await service.call('GET', '/v2/storage/tokens/verify')
  expect(body.owner.rowsCount).toBe(3)
  expect(reads.listed).toBe(0)
  expect(reads.single).toEqual([])
})
