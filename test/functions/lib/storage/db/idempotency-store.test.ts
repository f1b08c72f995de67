import { expect, it } from 'vitest'
import { createIdempotencyStore } from '#lib/storage/db/idempotency-store.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'

const DAY_MS = 86_400_000
const request = { scope: 'files', key: 'of the day', request: { name: 'a.csv' } }

const openStore = () => {
  const clock = { now: new Date('2026-01-01T00:00:00Z') }
  return {
    store: createIdempotencyStore(createMemoryItemTable(), () => clock.now),
    pass: (ms: number) => {
      clock.now = new Date(clock.now.getTime() + ms)
    },
  }
}

it('knows a key for 30 days, and then no more, though its item is still there', async () => {
  const { store, pass } = openStore()
  expect(await store.claimId(request, 1)).toBe(1)
  pass(30 * DAY_MS - 1000)
  expect([await store.findId(request), await store.claimId(request, 2)]).toEqual([1, 1])
  pass(1000)
  expect(await store.findId(request)).toBeUndefined()
  expect(await store.claimId(request, 3)).toBe(3)
  expect(await store.findId(request)).toBe(3)
})

it('takes another request with a key whose time is over, and refuses it before', async () => {
  const { store, pass } = openStore()
  await store.claimId(request, 1)
  const other = { ...request, request: { name: 'b.csv' } }
  await expect(store.claimId(other, 2)).rejects.toMatchObject({ code: 'storage.idempotencyKeyReused' })
  pass(30 * DAY_MS)
  expect(await store.claimId(other, 2)).toBe(2)
  await expect(store.findId(request)).rejects.toMatchObject({ code: 'storage.idempotencyKeyReused' })
})

it('gives one id to all requests that come at once when the time of their key is over', async () => {
  const { store, pass } = openStore()
  await store.claimId(request, 1)
  pass(31 * DAY_MS)
  const ids = await Promise.all([2, 3, 4, 5].map(candidate => store.claimId(request, candidate)))
  expect(new Set(ids)).toEqual(new Set([await store.findId(request)]))
  expect(ids).not.toContain(1)
})
