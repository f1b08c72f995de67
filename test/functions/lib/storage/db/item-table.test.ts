import { describe, expect, it } from 'vitest'
import { createItemTable, startingWith } from '#lib/storage/db/item-table.ts'
import { startItemDatabase } from '#support/item-database.ts'
import { untilEnd } from '#support/until-end.ts'

const database = await untilEnd(startItemDatabase())

describe('getMany', () => {
  const keysOf = (pk: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ pk, sk: String(index).padStart(4, '0') }))

  it('finds the existing items of more keys than fit one request', async () => {
    const items = createItemTable(database.requests, database.tableName)
    const keys = keysOf('many', 250)
    for (const key of keys.slice(0, 240)) await items.put(key, { number: Number(key.sk) })
    const found = await items.getMany(keys)
    expect(found.map(({ number }) => Number(number)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 240 }, (_, index) => index),
    )
    expect(await items.getMany([])).toEqual([])
  })

  it('requests again what did not fit a reply of 16 MB', async () => {
    const items = createItemTable(database.requests, database.tableName)
    const keys = keysOf('large', 60)
    for (const key of keys) await items.put(key, { text: 'x'.repeat(350_000) })
    expect(new Set((await items.getMany(keys)).map(({ sk }) => sk)).size).toBe(60)
  })

  /** A database that answers `answered` keys of each request and lists the others as not processed. */
  const throttling = (answered: number) => {
    const { requests } = database
    const getBatch: typeof requests.getBatch = async (tableName, keys) => {
      if (answered === 0) return { found: [], left: [...keys] }
      const { found, left } = await requests.getBatch(tableName, keys.slice(0, answered))
      return { found, left: [...left, ...keys.slice(answered)] }
    }
    return createItemTable({ ...requests, getBatch }, database.tableName)
  }

  it('requests again what a busy database left out', async () => {
    const keys = keysOf('busy', 7)
    for (const key of keys) await createItemTable(database.requests, database.tableName).put(key, {})
    expect(await throttling(2).getMany(keys)).toHaveLength(7)
  })

  it('rejects when the database answers nothing, as it may a moment later', async () => {
    await expect(throttling(0).getMany(keysOf('silent', 1))).rejects.toMatchObject({ code: 'storage.busy' })
  })
})

describe('putAll', () => {
  const numbered = (pk: string, count: number) =>
    Array.from({ length: count }, (_, number) => ({ pk, sk: String(number).padStart(4, '0'), number }))
  const numbersIn = async (items: ReturnType<typeof createItemTable>, pk: string) => {
    const numbers: unknown[] = []
    for await (const { number } of items.query(pk, startingWith(''))) numbers.push(number)
    return numbers
  }

  it('stores more items than fit one request, over what is there', async () => {
    const items = createItemTable(database.requests, database.tableName)
    await items.put({ pk: 'all', sk: '0003' }, { number: 'old' })
    await items.putAll(numbered('all', 60))
    expect(await numbersIn(items, 'all')).toEqual(numbered('all', 60).map(({ number }) => number))
    await items.putAll([])
  })

  /** A database that takes `taken` items of each request and lists the others as not processed. */
  const throttling = (taken: number) => {
    const { requests } = database
    const putBatch: typeof requests.putBatch = async (tableName, items) => {
      if (taken > 0) await requests.putBatch(tableName, items.slice(0, taken))
      return items.slice(taken)
    }
    return createItemTable({ ...requests, putBatch }, database.tableName)
  }

  it('sends again what a busy database left out', async () => {
    const items = throttling(2)
    await items.putAll(numbered('throttled', 7))
    expect(await numbersIn(createItemTable(database.requests, database.tableName), 'throttled')).toHaveLength(
      7,
    )
  })

  it('rejects when the database takes nothing', async () => {
    await expect(throttling(0).putAll(numbered('refused', 1))).rejects.toMatchObject({ code: 'storage.busy' })
  })
})
