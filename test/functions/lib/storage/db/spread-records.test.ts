import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromIdParts } from '#lib/storage/db/ids.ts'
import { SHARDS } from '#lib/storage/db/spread.ts'
import { createSpreadRecords } from '#lib/storage/db/spread-records.ts'
import { startItemTable } from '#support/start-item-table.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'

interface Note {
  id: number
  text: string
}

const { items } = await untilEnd(startItemTable())

let kinds = 0
const newRecords = () => {
  const kind = `NOTES${++kinds}`
  const records = createSpreadRecords<Note>(items, kind, item => ({
    id: Number(item['id']),
    text: String(item['text']),
  }))
  return { kind, records }
}

const september = fromIdParts({ milliseconds: Date.UTC(2026, 8, 30, 23, 59, 59, 999), counter: 0 })

/** Ids on both sides of a month's end; those of one process are often a multiple apart, and then in one partition. */
const anyId = fc
  .tuple(fc.constantFrom(1, SHARDS, 4096), fc.integer({ min: -60, max: 60 }))
  .map(([distance, count]) => september + distance * count)

const anyMixture = fc.record({
  ids: fc.uniqueArray(anyId, { maxLength: 80 }),
  pageSize: fc.integer({ min: 1, max: 90 }),
  sinceId: fc.option(anyId, { nil: undefined }),
})

const all = async <Item>(source: AsyncIterable<Item>): Promise<Item[]> => {
  const found: Item[] = []
  for await (const item of source) found.push(item)
  return found
}

const noteOf = (id: number): Note => ({ id, text: `note ${id}` })

describe('records that are spread over partitions', () => {
  it('are listed and paged as those of one partition', async () => {
    await fc.assert(
      fc.asyncProperty(anyMixture, async ({ ids, pageSize, sinceId }) => {
        const { records } = newRecords()
        for (const id of ids) await records.create(() => id, noteOf)
        const paged: number[] = []
        let maxId: number | undefined
        let page: number[]
        do {
          page = []
          for await (const { id } of records.list({ sinceId, maxId })) if (page.push(id) === pageSize) break
          paged.push(...page)
          maxId = page.at(-1)
        } while (page.length === pageSize)
        expect(paged).toEqual(ids.filter(id => id > (sinceId ?? 0)).toSorted((one, other) => other - one))
        expect(await records.getMany(ids)).toEqual(ids.map(noteOf))
      }),
      { numRuns: runs(25) },
    )
  })

  it('are read, changed and deleted where they are', async () => {
    const { records } = newRecords()
    const [old, young] = [september, september + 1]
    const change = async (id: number, text: string, before: string) =>
      (await items.transact([records.updating(id, { text }, { text: before })])).length === 0
    for (const id of [old, young]) await records.create(() => id, noteOf)
    for (const id of [old, young]) {
      expect(await records.get(id)).toEqual(noteOf(id))
      expect(await change(id, 'lost', 'another')).toBe(false)
      expect(await change(id, 'new', `note ${id}`)).toBe(true)
      expect(await change(id, 'late', `note ${id}`)).toBe(false)
      expect(await records.get(id)).toEqual({ id, text: 'new' })
    }
    expect(await records.getMany([young, 1, old])).toEqual([
      { id: young, text: 'new' },
      { id: old, text: 'new' },
    ])
    await items.transact([old, young].map(records.deleting))
    for (const id of [old, young]) {
      expect(await records.get(id)).toBeUndefined()
      expect(await change(id, 'new', 'new')).toBe(false)
    }
    expect(await all(records.list())).toEqual([])
  })

  it('lie in as many partitions, evenly', async () => {
    const { records, kind } = newRecords()
    const ids = Array.from({ length: 4 * SHARDS }, (_, index) => september - index)
    for (const id of ids) await records.create(() => id, noteOf)
    const partitions = Array.from({ length: SHARDS }, (_, shard) => `${kind}#${shard}`)
    for (const pk of partitions) expect(await all(items.query(pk, { from: ' ', to: '~' }))).toHaveLength(4)
  })
})
