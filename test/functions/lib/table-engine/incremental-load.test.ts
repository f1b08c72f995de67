import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Snapshot } from '#lib/table-engine/files/snapshot.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture, type TableFixture } from './support/table-fixture.ts'

const tables = await untilEnd(createTableFixture({ chunkBytes: 40, maxSmallFiles: 1_000 }))

const toCsv = (rows: string[][], header = ['id', 'part', 'text']): string =>
  [header, ...rows].map(cells => `${cells.map(cell => `"${cell}"`).join(',')}\n`).join('')

const keys = (snapshot: Snapshot): string[] => snapshot.files.map(({ key }) => key)

describe('a load into a table with a primary key', () => {
  const primaryKey = ['id']

  it('keeps the last record of each key in the file', async () => {
    const { snapshot, importedRowsCount } = await tables.load('id,text\n1,a\n2,b\n1,c\n3,d\n2,\n', {
      primaryKey,
    })
    expect(await tables.rows(snapshot)).toEqual([
      ['1', 'c'],
      ['3', 'd'],
      ['2', ''],
    ])
    expect(importedRowsCount).toBe(5)
    expect(snapshot.rowsCount).toBe(3)
  })

  it('takes empty keys as equal, and keys that differ in case or spaces as different', async () => {
    const { snapshot } = await tables.load('id,text\n,1\n"",2\na,3\nA,4\n"a ",5\n', { primaryKey })
    expect(await tables.rows(snapshot)).toEqual([
      ['', '2'],
      ['a', '3'],
      ['A', '4'],
      ['a ', '5'],
    ])
  })

  it('takes the key of the table, not of the request', async () => {
    const { snapshot: current } = await tables.load('id,text\n1,a\n', { primaryKey })
    const { snapshot } = await tables.load('id,text\n1,b\n', {
      current,
      incremental: true,
      primaryKey: ['text'],
    })
    expect(snapshot).toMatchObject({ primaryKey, rowsCount: 1 })
  })

  it('updates, inserts and leaves alone as the model says, and moves the time of changed rows only', async () => {
    const row = fc.tuple(
      fc.constantFrom('1', '2', '3', '4', ''),
      fc.constantFrom('x', 'y'),
      fc.constantFrom('', 'a', 'b'),
    )
    const loads = fc.array(fc.array(row, { maxLength: 12 }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(loads, async contents => {
        const model = new Map<string, { cells: string[]; changed: number }>()
        let current: Snapshot | undefined
        for (const [index, rows] of contents.entries()) {
          const loadedAt = new Date(Date.UTC(2024, 0, index + 1))
          const options = { current, incremental: true, primaryKey: ['id', 'part'], loadedAt }
          current = (await tables.load(toCsv(rows), options)).snapshot
          for (const cells of new Map(rows.map(cells => [`${cells[0]}/${cells[1]}`, cells])).values()) {
            const key = `${cells[0]}/${cells[1]}`
            if (model.get(key)?.cells[2] === cells[2]) continue
            model.set(key, { cells, changed: index })
          }
          const expected = [...model.values()]
          expect(current.rowsCount).toBe(expected.length)
          expect((await tables.rows(current)).sort()).toEqual(expected.map(({ cells }) => cells).sort())
          const { rows: changed } = await tables.engine.preview(current, {
            limit: 1_000,
            changedSince: loadedAt,
          })
          expect(changed.sort()).toEqual(
            expected.filter(({ changed }) => changed === index).map(({ cells }) => cells).sort(),
          ) // biome-ignore format: one chain
        }
      }),
      { numRuns: runs(25) },
    )
  })

  it('writes only files whose rows change', async () => {
    const rows = Array.from({ length: 12 }, (_, id) => [String(id), 'p', 'a long enough text'])
    const { snapshot: current } = await tables.load(toCsv(rows), { primaryKey })
    expect(current.files.length).toBeGreaterThan(3)
    const { snapshot } = await tables.load('id,part,text\n0,p,new\n5,p,a long enough text\n', {
      current,
      incremental: true,
    })
    expect(keys(snapshot).slice(1, -1)).toEqual(keys(current).slice(1))
    expect(snapshot.rowsCount).toBe(12)
    tables.log.splice(0)
    const { snapshot: same } = await tables.load(toCsv(rows.slice(1)), {
      current: snapshot,
      incremental: true,
    })
    expect(same).toEqual(snapshot)
    expect(tables.log.filter(entry => entry.startsWith('upload'))).toEqual([])
  })

  it('updates rows when a new column brings values, and only those', async () => {
    const { snapshot: current } = await tables.load('id\n1\n2\n', { primaryKey })
    const loadedAt = new Date(Date.UTC(2030, 0, 1))
    const { snapshot } = await tables.load('id,new\n1,\n2,x\n', { current, incremental: true, loadedAt })
    const { rows } = await tables.engine.preview(snapshot, { limit: 10, changedSince: loadedAt })
    expect(rows).toEqual([['2', 'x']])
    expect(snapshot.rowsCount).toBe(2)
  })

  it('works when every column is in the key', async () => {
    const { snapshot: current } = await tables.load('a,b\n1,1\n', { primaryKey: ['a', 'b'] })
    const { snapshot } = await tables.load('b,a\n1,1\n2,1\n2,1\n', { current, incremental: true })
    expect(await tables.rows(snapshot)).toEqual([
      ['1', '1'],
      ['1', '2'],
    ])
  })

  it('of no records changes nothing', async () => {
    const { snapshot: current } = await tables.load('id,text\n1,a\n', { primaryKey })
    const { snapshot } = await tables.load('id,text\n', { current, incremental: true })
    expect(snapshot).toEqual(current)
  })
})

describe('an incremental load into a table without a primary key', () => {
  it('appends, duplicates included', async () => {
    const { snapshot: current } = await tables.load('a,b\n1,2\n')
    const { snapshot } = await tables.load('b,a\n2,1\n2,1\n', { current, incremental: true })
    expect(keys(snapshot).slice(0, 1)).toEqual(keys(current))
    expect(await tables.rows(snapshot)).toEqual([
      ['1', '2'],
      ['1', '2'],
      ['1', '2'],
    ])
  })

  it('creates the table when there is none', async () => {
    const { snapshot } = await tables.load('a\n1\n', { incremental: true })
    expect(snapshot.rowsCount).toBe(1)
  })
})

describe('many small loads', () => {
  let compacting: TableFixture
  beforeAll(async () => {
    compacting = await createTableFixture({ maxSmallFiles: 4 })
  })
  afterAll(() => compacting.close())

  it('never leave more small files than the limit, nor lose a row, its order or its time', async () => {
    let current: Snapshot | undefined
    const expected: string[][] = []
    for (let load = 1; load <= 12; load++) {
      const loadedAt = new Date(Date.UTC(2024, 0, load))
      // Columns come while the table grows, so files with different columns are merged.
      const names = ['id', 'filename', ...(load > 3 ? ['late'] : [])]
      const cells = [String(load), `file ${load}`, ...(load > 3 ? [`late ${load}`] : [])]
      const csv = `${names.join(',')}\n${cells.join(',')}\n`
      current = (await compacting.load(csv, { current, incremental: true, loadedAt })).snapshot
      expected.push([cells[0] ?? '', cells[1] ?? '', cells[2] ?? ''])
      expect(current.files.length).toBeLessThanOrEqual(4)
      expect(current.rowsCount).toBe(load)
    }
    if (!current) throw new Error('no load')
    expect(await compacting.rows(current)).toEqual(expected)
    const recent = { limit: 10, columns: ['id'], changedSince: new Date(Date.UTC(2024, 0, 10)) }
    expect((await compacting.engine.preview(current, recent)).rows).toEqual([['10'], ['11'], ['12']])
  })

  it('of medium size are merged once, when there are too many of them', async () => {
    const fixture = await createTableFixture({ maxSmallFiles: 4, smallFileBytes: 1_500 })
    try {
      let current: Snapshot | undefined
      for (let load = 1; load <= 20; load++) {
        const csv = `id,text\n${load},${randomBytes(1_500).toString('base64')}\n`
        current = (await fixture.load(csv, { current, incremental: true })).snapshot
      }
      const files = current?.files ?? []
      expect(files.every(({ bytes }) => bytes > 1_500)).toBe(true)
      expect(files.length).toBeLessThan(12)
      expect(current?.rowsCount).toBe(20)
      const merged = fixture.log.filter(line => line.startsWith('upload') && line.includes('merged'))
      expect(merged.length).toBeLessThanOrEqual(4)
    } finally {
      await fixture.close()
    }
  })

  it('are compacted under the primary key, too', async () => {
    let current: Snapshot | undefined
    for (let load = 1; load <= 10; load++) {
      const csv = `id,text\n${load},first\n${load - 1},second\n`
      current = (await compacting.load(csv, { current, incremental: true, primaryKey: ['id'] })).snapshot
      expect(current.files.length).toBeLessThanOrEqual(4)
    }
    if (!current) throw new Error('no load')
    const rows = await compacting.rows(current)
    expect(rows.sort((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
      ...Array.from({ length: 10 }, (_, id) => [String(id), 'second']),
      ['10', 'first'],
    ])
  })
})
