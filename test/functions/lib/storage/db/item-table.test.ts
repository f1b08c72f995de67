import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createItemTable } from '#lib/storage/db/item-table.ts'
import { startItemDatabase } from '#support/item-database.ts'

let database: Awaited<ReturnType<typeof startItemDatabase>>
beforeAll(async () => {
  database = await startItemDatabase('storage')
})
afterAll(() => database.close())

describe('getMany', () => {
  const keysOf = (pk: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ pk, sk: String(index).padStart(4, '0') }))

  it('finds the existing items of more keys than fit one request', async () => {
    const items = createItemTable(database.documents, 'storage')
    const keys = keysOf('many', 250)
    for (const key of keys.slice(0, 240)) await items.put(key, { number: Number(key.sk) })
    const found = await items.getMany(keys)
    expect(found.map(({ number }) => Number(number)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 240 }, (_, index) => index),
    )
    expect(await items.getMany([])).toEqual([])
  })

  it('requests again what did not fit a reply of 16 MB', async () => {
    const items = createItemTable(database.documents, 'storage')
    const keys = keysOf('large', 60)
    for (const key of keys) await items.put(key, { text: 'x'.repeat(350_000) })
    expect(new Set((await items.getMany(keys)).map(({ sk }) => sk)).size).toBe(60)
  })
})
