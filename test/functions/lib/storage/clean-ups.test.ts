import { S3Client } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { createItemTable, type ItemTable, startingWith } from '#lib/items/item-table.ts'
import { newConfiguration } from '#lib/storage/configurations/change-configuration.ts'
import { addRow } from '#lib/storage/configurations/change-rows.ts'
import type { Configuration } from '#lib/storage/configurations/configuration.ts'
import { createCleanUps } from '#lib/storage/db/clean-ups.ts'
import { createDocumentFiles } from '#lib/storage/db/document-files.ts'
import { asFunction, guardWrites } from '#support/guard-writes.ts'
import { createMemoryItems } from '#support/memory-item-table.ts'
import { changed, configurationsOn } from './configurations/steps.ts'

const DAY_MS = 86_400_000

// Nothing here is too long for an item.
const documents = createDocumentFiles(new S3Client({ region: 'us-east-1' }), 'none')
const place = { branchId: 1, componentId: 'c', configId: 'large' }

/** Of more rows than one transaction holds. */
const largeConfiguration = (internalId: string): Configuration => {
  let configuration = newConfiguration(place.configId, internalId, { name: 'large' }, changed())
  for (let row = 0; row < 40; row++) configuration = addRow(configuration, `r${row}`, {}, changed())
  return configuration
}

let time: Date
const now = () => time
let items: ItemTable
const clearDue = (of = items) => asFunction('tick', () => createCleanUps(guardWrites(of), now).clearDue())
const pass = (ms: number) => {
  time = new Date(time.getTime() + ms)
}
const storeThat = (dies: Partial<ItemTable> = {}) => configurationsOn({ ...items, ...dies }, documents, now)
const partsOf = (internalId: string) =>
  Array.fromAsync(items.query(`CONFIG#${internalId}`, startingWith('')), ({ sk }) => sk)
const died = () => Promise.reject(new Error('died'))

beforeEach(() => {
  time = new Date('2026-11-29T12:00:00Z')
  items = createItemTable(createMemoryItems())
})

describe('rule 18, who prepares items says before that they are cleared unless decided', () => {
  it('so that what a dead writer has left is gone after a day', async () => {
    await expect(storeThat({ transact: died }).insert(place, largeConfiguration('i'))).rejects.toThrow('died')
    expect(await partsOf('i')).toHaveLength(40)
    pass(DAY_MS - 1)
    expect(await clearDue()).toBe(0)
    expect(await partsOf('i')).toHaveLength(40)
    pass(2)
    expect(await clearDue()).toBe(1)
    expect(await partsOf('i')).toEqual([])
    expect(await clearDue()).toBe(0)
  })

  it('and what was decided stays, whenever the clock looks', async () => {
    expect(await storeThat().insert(place, largeConfiguration('i'))).toBe(true)
    pass(2 * DAY_MS)
    expect(await clearDue()).toBe(0)
    expect((await storeThat().get(place))?.current.content.rows).toHaveLength(40)
  })

  it('and a decision that comes when the clearing has begun is refused', async () => {
    const isStored = await storeThat({
      transact: async writes => {
        pass(DAY_MS + 1)
        await clearDue()
        return items.transact(writes)
      },
    }).insert(place, largeConfiguration('i'))
    expect(isStored).toBe(false)
    expect(await storeThat().get(place)).toBeUndefined()
    expect(await partsOf('i')).toEqual([])
  })

  it('and a clock that found it undecided leaves it alone when the decision came first', async () => {
    const { insert } = storeThat({
      transact: async writes => {
        pass(DAY_MS + 1)
        const decidedFirst: ItemTable['update'] = async (...change) => {
          expect(await items.transact(writes)).toEqual([])
          return items.update(...change)
        }
        expect(await clearDue({ ...items, update: decidedFirst })).toBe(0)
        return []
      },
    })
    expect(await insert(place, largeConfiguration('i'))).toBe(true)
    expect((await storeThat().get(place))?.current.content.rows).toHaveLength(40)
  })
})

describe('rule 13, what a decision leaves is due after it', () => {
  it('and the clock does it where the one who decided died, and touches nothing of the next under that name', async () => {
    await storeThat().insert(place, largeConfiguration('first'))
    await expect(storeThat({ delete: died }).purge(place)).rejects.toThrow('died')
    await storeThat().insert(place, largeConfiguration('second'))
    expect(await clearDue()).toBe(0)
    pass(60_001)
    expect(await clearDue()).toBe(1)
    expect(await partsOf('first')).toEqual([])
    expect((await storeThat().get(place))?.current.content.rows).toHaveLength(40)
  })

  it('and what cannot be cleared keeps no other from it', async () => {
    const { leaving } = createCleanUps(items, now)
    await items.transact(['CONFIG#a', 'CONFIG#b'].map(pk => leaving({ partitions: [pk] })))
    await items.put({ pk: 'CONFIG#b', sk: 'b' }, {})
    pass(60_001)
    const query: ItemTable['query'] = (pk, range) => items.query(pk === 'CONFIG#a' ? '' : pk, range)
    await expect(clearDue({ ...items, query })).rejects.toThrow()
    expect(await partsOf('b')).toEqual([])
  })

  it('and nothing is left to do where he lived', async () => {
    await storeThat().insert(place, largeConfiguration('i'))
    expect(await storeThat().purge(place)).toBe(true)
    expect(await partsOf('i')).toEqual([])
    pass(DAY_MS)
    expect(await clearDue()).toBe(0)
  })
})
