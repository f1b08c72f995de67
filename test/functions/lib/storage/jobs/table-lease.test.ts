import { expect, it } from 'vitest'
import { createTableQueue } from '#lib/storage/jobs/table-queue.ts'
import { leaseContract } from '#support/lease-contract.ts'
import { startItemTable } from '#support/start-item-table.ts'

leaseContract('the item of a table', async () => {
  const { items, close } = await startItemTable()
  let tables = 0
  return {
    stores: () => {
      const tableId = `in.c-main.t${++tables}`
      return [createTableQueue(items).lease(tableId), createTableQueue(items).lease(tableId)]
    },
    lease: n => ({ owner: n + 1 }),
    close,
  }
})

it('a claim of version 0.1 is a lease, and no entry of the queue', async () => {
  const { items, close } = await startItemTable()
  try {
    const queue = createTableQueue(items)
    await items.put({ pk: 'QUEUE#in.c-main.t', sk: 'CLAIM' }, { owner: 5 })
    expect(await queue.lease('in.c-main.t').holder()).toEqual({ owner: 5 })
    expect(await queue.first('in.c-main.t')).toBeUndefined()
  } finally {
    await close()
  }
})
