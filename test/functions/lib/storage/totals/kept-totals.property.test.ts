import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ItemTable } from '#lib/items/item-table.ts'
import { createKeptTotals, keepingTotals } from '#lib/storage/totals/kept-totals.ts'
import { sumOf } from '#lib/storage/totals/totals.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'

class Killed extends Error {}

const bucketIds = ['in.c-a', 'in.c-b']
const place = fc.record({ bucketId: fc.constantFrom(...bucketIds), name: fc.constantFrom('x', 'y', 'z') })
const size = fc.integer({ min: 0, max: 9 })
/** A head that is written, or deleted; by a process that dies between the head and the totals, or lives. */
const step = fc.record({
  place,
  kind: fc.constantFrom('table', 'alias', 'gone'),
  size,
  dies: fc.boolean(),
})

type Step = typeof step extends fc.Arbitrary<infer Given> ? Given : never
type Place = Step['place']

const created = '2026-01-01T00:00:00.000Z'

const headOf = (kind: string, rows: number, day: number) =>
  kind === 'alias'
    ? { kind, created }
    : {
        created,
        lastChangeDate: `2026-02-${String(day).padStart(2, '0')}`,
        snapshot: { rowsCount: rows, dataSizeBytes: rows * 10 },
      }

const createWorld = () => {
  const items = createMemoryItemTable()
  const fault = { dies: false }
  const dying: ItemTable = {
    ...items,
    update: async (...given) => {
      if (fault.dies) throw new Killed()
      return items.update(...given)
    },
  }
  return { items, fault, view: keepingTotals(dying), totals: createKeptTotals(items) }
}

const play = async (world: ReturnType<typeof createWorld>, steps: Step[]) => {
  for (const [index, { place: at, kind, size: rows, dies }] of steps.entries()) {
    world.fault.dies = dies
    const key = { pk: `BUCKET#${at.bucketId}`, sk: `TABLE#${at.name}` }
    const written =
      kind === 'gone' ? world.view.delete(key) : world.view.put(key, headOf(kind, rows, index + 1))
    await written.catch(error => {
      if (!(error instanceof Killed)) throw error
    })
  }
}

const counted = async ({ items }: ReturnType<typeof createWorld>, bucketId: string) => {
  const heads = await Array.fromAsync(items.query(`BUCKET#${bucketId}`, { from: 'TABLE#', to: 'TABLE#~' }))
  const rowsOf = (head: (typeof heads)[number]) => Number(Object(head['snapshot']).rowsCount ?? 0)
  const rowsCount = heads.reduce((sum, head) => sum + rowsOf(head), 0)
  return { tablesCount: heads.length, rowsCount, dataSizeBytes: rowsCount * 10 }
}

it('totals are the sums of the heads, whatever is written, while nobody dies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
      const world = createWorld()
      await play(
        world,
        steps.map(given => ({ ...given, dies: false })),
      )
      for (const bucketId of bucketIds)
        expect(await world.totals.of(bucketId)).toMatchObject(await counted(world, bucketId))
      const each = await world.totals.ofEach()
      const { lastChangeDate: _, ...all } = sumOf([...each.values()])
      expect(await world.totals.ofAll()).toMatchObject(all)
    }),
  )
})

it('a recount makes them so, whoever died between a head and its totals', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async steps => {
      const world = createWorld()
      await play(world, steps)
      world.fault.dies = false
      await Promise.all(bucketIds.map(bucketId => world.totals.recount(bucketId)))
      for (const bucketId of bucketIds) {
        const expected = await counted(world, bucketId)
        expect(await world.totals.of(bucketId)).toMatchObject(expected)
        expect(await world.totals.recount(bucketId)).toBe(false)
      }
      const { lastChangeDate: _, ...all } = sumOf([...(await world.totals.ofEach()).values()])
      expect(await world.totals.ofAll()).toMatchObject(all)
    }),
    { numRuns: 8 },
  )
})

it('two recounts at once correct once', async () => {
  const world = createWorld()
  await play(world, [{ place: { bucketId: 'in.c-a', name: 'x' }, kind: 'table', size: 4, dies: true }])
  await Promise.all([world.totals.recount('in.c-a'), world.totals.recount('in.c-a')])
  await world.totals.recount('in.c-a')
  expect(await world.totals.of('in.c-a')).toMatchObject({ tablesCount: 1, rowsCount: 4, dataSizeBytes: 40 })
})

const bucket = (id: string, displayName = id) => ({
  id,
  stage: 'in',
  name: id.slice(3),
  displayName,
  description: '',
  color: null,
  created,
  updated: created,
  deletingUntil: null,
  revision: 1,
})
const keyOfBucket = (id: string) => ({ pk: 'BUCKETS', sk: id })

it('names of buckets are those of the buckets, however creations and deletions meet', async () => {
  const change = fc.record({ id: fc.constantFrom(...bucketIds), isDeleted: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 10 }), async changes => {
      const { items, view, totals } = createWorld()
      await Promise.all(
        changes.map(({ id, isDeleted }) =>
          isDeleted ? view.delete(keyOfBucket(id)) : view.put(keyOfBucket(id), bucket(id), 'absent'),
        ),
      )
      const named = (await totals.bucketNames()).map(({ id }) => id)
      for (const id of bucketIds) expect(named.includes(id) || !(await items.get(keyOfBucket(id)))).toBe(true)
    }),
  )
})

it('refuses a bucket whose name finds no room, and keeps those that are there', async () => {
  const { items, view, totals } = createWorld()
  const names = Object.fromEntries(
    Array.from({ length: 630 }, (_, index) => [`in.c-${index}`.padEnd(300, 'x'), 'y'.repeat(300)]),
  )
  await items.update({ pk: 'TOTALS', sk: '#buckets' }, { set: names })
  const created = view.put(keyOfBucket('in.c-new'), bucket('in.c-new'), 'absent')
  await expect(created).rejects.toMatchObject({ code: 'storage.buckets.tooMany' })
  expect(await items.get(keyOfBucket('in.c-new'))).toBeUndefined()
  expect(await totals.bucketNames()).toHaveLength(630)
})

it('leaves a bucket that changes while it is counted to the next recount', async () => {
  const world = createWorld()
  const at: Place = { bucketId: 'in.c-a', name: 'x' }
  await play(world, [{ place: at, kind: 'table', size: 4, dies: true }])
  world.fault.dies = false
  let counts = 0
  const totals = createKeptTotals({
    ...world.items,
    async *query(pk, range) {
      yield* world.items.query(pk, range)
      if (++counts === 2)
        await play(world, [{ place: { ...at, name: 'y' }, kind: 'table', size: 1, dies: false }])
    },
  })
  expect(await totals.recount('in.c-a')).toBe(false)
  expect(await totals.recount('in.c-a')).toBe(true)
  expect(await totals.of('in.c-a')).toMatchObject(await counted(world, 'in.c-a'))
})
