import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ItemTable } from '#lib/items/item-table.ts'
import { createRevisedRecords } from '#lib/storage/db/revised-records.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'

const schema = z.object({ id: z.number(), names: z.array(z.string()), revision: z.number() })

const recordsIn = (items: ItemTable) =>
  createRevisedRecords(items, { partition: 'THINGS', schema, name: 'thing', busyCode: 'storage.busy' })

const record = (id: number) => ({ id, names: [] as string[], revision: 1 })
const named = (name: string) => (current: z.infer<typeof schema>) => ({
  ...current,
  names: [...current.names, name],
})

describe('records with a revision', () => {
  it('are inserted once, read, listed by id, and deleted', async () => {
    const records = recordsIn(createMemoryItemTable())
    for (const id of [1000, 7, 30]) expect(await records.insert(record(id))).toBe(true)
    expect(await records.insert(record(7))).toBe(false)
    expect(await records.get(30)).toEqual(record(30))
    expect((await records.list()).map(({ id }) => id)).toEqual([7, 30, 1000])
    expect(await records.delete(7)).toBe(true)
    expect(await records.get(7)).toBeUndefined()
  })

  it('keep every change of many at once', async () => {
    const records = recordsIn(createMemoryItemTable())
    await records.insert(record(1))
    await Promise.all(['a', 'b', 'c', 'd'].map(name => records.update(1, named(name))))
    const { names, revision } = (await records.get(1)) ?? record(0)
    expect(names.toSorted()).toEqual(['a', 'b', 'c', 'd'])
    expect(revision).toBe(5)
  })

  it('are not written by a change that returns its input or throws', async () => {
    const records = recordsIn(createMemoryItemTable())
    await records.insert(record(1))
    expect(await records.update(1, current => current)).toEqual(record(1))
    const refuse = () => {
      throw new Error('not this one')
    }
    await expect(records.update(1, refuse)).rejects.toThrow('not this one')
    expect(await records.get(1)).toEqual(record(1))
    expect(await records.update(2, named('a'))).toBeUndefined()
  })

  it('that others change each time are busy', async () => {
    const items = createMemoryItemTable()
    const records = recordsIn({
      ...items,
      transact: async writes =>
        writes.every(({ when }) => when === 'absent')
          ? items.transact(writes)
          : writes.map(({ key }) => ({ key, found: undefined })),
    })
    await records.insert(record(1))
    await expect(records.update(1, named('a'))).rejects.toMatchObject({
      name: 'TransientError',
      message: 'The thing 1 is being changed by many requests.',
    })
  })
})
