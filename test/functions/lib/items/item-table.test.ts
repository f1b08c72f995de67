import { expect, it } from 'vitest'
import { createItemTable, type ItemKey, together } from '#lib/items/item-table.ts'
import { createMemoryItems } from '#support/memory-item-table.ts'

const key = (sk: string): ItemKey => ({ pk: 'p', sk })

it('items that are asked for at once are read in one call, each for whoever asks', async () => {
  const store = createMemoryItems()
  const calls: string[][] = []
  const items = createItemTable({
    ...store,
    get: asked => {
      calls.push([asked.sk])
      return store.get(asked)
    },
    getMany: asked => {
      calls.push(asked.map(({ sk }) => sk))
      return store.getMany(asked)
    },
  })
  await items.put(key('a'), { is: 'a' })
  await items.put(key('b'), { is: 'b' })
  const found = await Promise.all(['a', 'b', 'c', 'a'].map(sk => items.get(key(sk))))
  expect(found.map(item => item?.['is'])).toEqual(['a', 'b', undefined, 'a'])
  expect(await items.get(key('a'))).toMatchObject({ is: 'a' })
  expect(calls).toEqual([['a', 'b', 'c'], ['a']])
})

it('what parts of a decision add to one item is one change, and conditions stay by themselves', async () => {
  const adds = (rows: number, day: string) => [
    { action: 'update' as const, key: key('sum'), change: { add: { rows }, set: { day } } },
  ]
  const check = { action: 'check' as const, key: key('other'), when: 'absent' as const }
  const decision = await together(adds(3, 'Monday'), [check], adds(-1, 'Tuesday'), adds(5, 'Friday'))
  expect(decision).toHaveLength(2)
  const items = createItemTable(createMemoryItems())
  expect(await items.transact(decision ?? [])).toEqual([])
  expect(await items.get(key('sum'))).toMatchObject({ rows: 7, day: 'Friday' })
})
