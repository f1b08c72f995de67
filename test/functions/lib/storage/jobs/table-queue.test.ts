import { expect, it } from 'vitest'
import { createTableQueue } from '#lib/storage/jobs/table-queue.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'

const queueOf = async (jobIds: number[]) => {
  const items = createMemoryItemTable()
  const queue = createTableQueue(items)
  for (const jobId of jobIds) await items.transact([queue.entering('in.c-main.orders', jobId)])
  return (jobId: number) => queue.estimateBefore('in.c-main.orders', jobId)
}

/** Ids that grow by ten. */
const ids = (count: number): number[] => Array.from({ length: count }, (_, index) => 1000 + 10 * index)

it('few jobs in front of one are counted, and those behind it are not', async () => {
  const before = await queueOf(ids(60))
  expect(await before(1000)).toBe(0)
  expect(await before(1010)).toBe(1)
  expect(await before(1000 + 10 * 59)).toBe(59)
  expect(await before(999)).toBe(0)
})

it('many jobs in front of one are estimated from those that came first', async () => {
  const before = await queueOf(ids(1000))
  const estimate = await before(1000 + 10 * 999)
  expect(Math.abs(estimate - 999)).toBeLessThan(20)
})
