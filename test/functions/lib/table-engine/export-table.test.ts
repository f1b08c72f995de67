import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatRecord } from '#lib/table-engine/csv/format-records.ts'
import type { ExportRequest } from '#lib/table-engine/export-table.ts'
import type { Snapshot } from '#lib/table-engine/files/snapshot.ts'
import { columnNames, withColumns, withoutColumn } from '#lib/table-engine/files/snapshot.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture } from './support/table-fixture.ts'

// Every chunk of some bytes is a file of its own, and stays one.
const fixture = await untilEnd(createTableFixture({ chunkBytes: 40, smallFileBytes: 0 }))

let exports = 0
const exportSlices = async (
  snapshot: Snapshot,
  options: Partial<ExportRequest> = {},
): Promise<{ slices: Buffer[]; rowsCount: number; keys: string[] }> => {
  const target = { bucket: 'exports', key: `e${++exports}` }
  const request = { snapshot, fileType: 'csv', gzip: false, target, ...options } as const
  const { slices, rowsCount } = await fixture.engine.export(request)
  const contents = await Promise.all(
    slices.map(async ({ key, bytes }) => {
      const content = await readFile(path.join(fixture.folder, target.bucket, key))
      expect(content.length).toBe(bytes)
      return content
    }),
  )
  return { slices: contents, rowsCount, keys: slices.map(({ key }) => key.slice(target.key.length)) }
}

const numbers = (count: number): string => {
  const lines = ['n,parity']
  for (let n = 0; n < count; n++) lines.push(`${n},${n % 2}`)
  return `${lines.join('\n')}\n`
}
const ofNumbers = (from: number, to: number): string => {
  const lines: string[] = []
  for (let n = from; n < to; n++) lines.push(`"${n}","${n % 2}"\n`)
  return lines.join('')
}

describe('an export', () => {
  it('is slices in the order of the table, each of some of its files', async () => {
    const { snapshot } = await fixture.load(numbers(200))
    expect(snapshot.files.length).toBeGreaterThan(20)
    const { slices, rowsCount, keys } = await exportSlices(snapshot)
    expect(slices.join('')).toBe(ofNumbers(0, 200))
    expect(rowsCount).toBe(200)
    expect(keys).toEqual(slices.map((_, index) => `_0_0_${index}.csv`))
    expect(slices).toHaveLength(Math.ceil(snapshot.files.length / 4))
    expect(await fixture.scratch()).toEqual([])
  })

  it.each([0, 1, 3, 7, 20, 199, 200, 1000])('has the first %d rows with that limit', async limit => {
    const { snapshot } = await fixture.load(numbers(200))
    const taken = Math.min(limit || 200, 200)
    const { slices } = await exportSlices(snapshot, limit === 0 ? {} : { limit })
    expect(slices.join('')).toBe(ofNumbers(0, taken))
    expect(slices.every(slice => slice.length > 0)).toBe(true)
  })

  it('has the first rows that match with a limit, and reads no further', async () => {
    const { snapshot } = await fixture.load(numbers(200))
    fixture.log.length = 0
    const where = [{ column: 'parity', operator: 'eq' as const, values: ['1'] }]
    const { slices, rowsCount } = await exportSlices(snapshot, { where, limit: 15, columns: ['n'] })
    const expected = Array.from({ length: 15 }, (_, index) => `"${2 * index + 1}"\n`)
    expect([slices.join(''), rowsCount]).toEqual([expected.join(''), 15])
    expect(fixture.log.length).toBeLessThan(snapshot.files.length)
  })

  it('leaves out slices without rows', async () => {
    const { snapshot } = await fixture.load(numbers(200))
    // Compared as numbers, so that no file is left out by its bounds.
    const where = [
      { column: 'n', operator: 'eq' as const, values: ['0', '199'], dataType: 'INTEGER' as const },
    ]
    const { slices } = await exportSlices(snapshot, { where })
    expect(slices.map(String)).toEqual(['"0","0"\n', '"199","1"\n'])
  })

  it('is one empty slice when there are no rows', async () => {
    const { snapshot } = await fixture.load('a\n')
    expect((await exportSlices(snapshot)).slices.map(String)).toEqual([''])
    const { snapshot: full } = await fixture.load('a\n1\n')
    const where = [{ column: 'a', operator: 'eq' as const, values: ['2'] }]
    const orderBy = [{ column: 'a', order: 'ASC' as const }]
    expect((await exportSlices(full, { where })).slices.map(String)).toEqual([''])
    expect((await exportSlices(full, { where, orderBy })).slices.map(String)).toEqual([''])
    const [gzip] = (await exportSlices(snapshot, { gzip: true })).slices
    expect(gunzipSync(gzip ?? '').toString()).toBe('')
  })

  it('has columns that were added later, empty in older rows', async () => {
    const first = await fixture.load('a\n1\n')
    const { snapshot } = await fixture.load('a,b\n2,x\n', { current: first.snapshot, incremental: true })
    expect((await exportSlices(snapshot)).slices.join('')).toBe('"1",""\n"2","x"\n')
    expect((await exportSlices(snapshot, { columns: ['b'] })).slices.join('')).toBe('""\n"x"\n')
  })

  it('has columns whose names mean something to the database', async () => {
    const names = ['filename', 'file_index', 'file_row_number', 'select']
    const { snapshot } = await fixture.load(`${names.join(',')}\n1,2,3,4\n`)
    expect((await exportSlices(snapshot)).slices.join('')).toBe('"1","2","3","4"\n')
    const [parquet] = (await exportSlices(snapshot, { fileType: 'parquet' })).slices
    for (const name of names) expect(parquet?.includes(name)).toBe(true)
  })

  it('is sorted as a whole', async () => {
    const { snapshot } = await fixture.load(numbers(200))
    const orderBy = [
      { column: 'parity', order: 'ASC' as const },
      { column: 'n', order: 'DESC' as const, dataType: 'INTEGER' as const },
    ]
    const { slices, rowsCount } = await exportSlices(snapshot, { orderBy, columns: ['n'], limit: 101 })
    const sorted = [...Array(200).keys()].toSorted((a, b) => (a % 2) - (b % 2) || b - a).slice(0, 101)
    expect(slices.join('')).toBe(sorted.map(n => `"${n}"\n`).join(''))
    expect(rowsCount).toBe(101)
  })

  it('writes any text as RFC 4180 says', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '\ufeff', '🙂', "'", '\\'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 20 }), async rows => {
        const { snapshot } = await fixture.load(`${['"a","b"\n', ...rows.map(formatRecord)].join('')}`)
        expect((await exportSlices(snapshot)).slices.join('')).toBe(rows.map(formatRecord).join(''))
      }),
      { numRuns: runs(25) },
    )
  })
})

describe('rows that are deleted', () => {
  const remove = async (snapshot: Snapshot, values: string[]): Promise<Snapshot> => {
    const result = await fixture.engine.deleteRows({
      snapshot,
      keyPrefix: `tables/1/delete-${++exports}/`,
      where: [{ column: 'n', operator: 'eq', values }],
    })
    return result.snapshot
  }

  it('go, and only the files that had them are written again', async () => {
    const { snapshot } = await fixture.load(numbers(200))
    fixture.log.length = 0
    const without = await remove(snapshot, ['0', '100'])
    expect(without.rowsCount).toBe(198)
    expect(without.files).toHaveLength(snapshot.files.length)
    expect(fixture.log.filter(line => line.startsWith('upload'))).toHaveLength(2)
    const [first] = (await exportSlices(without, { limit: 1 })).slices
    expect(String(first)).toBe('"1","1"\n')
    expect(await fixture.scratch()).toEqual([])
  })

  it('leave no empty file behind', async () => {
    const { snapshot } = await fixture.load('n\n1\n2\n')
    const without = await remove(snapshot, ['1', '2'])
    expect(without).toMatchObject({ files: [], rowsCount: 0, dataSizeBytes: 0 })
    expect((await fixture.engine.deleteRows({ snapshot, keyPrefix: 'x/' })).snapshot.files).toEqual([])
  })
})

describe('a column that is dropped', () => {
  it('never shows its values in a later column of its name', async () => {
    const { snapshot } = await fixture.load(numbers(50))
    const dropped = withoutColumn(snapshot, 'parity')
    expect(columnNames(dropped)).toEqual(['n'])
    expect(dropped.rowsCount).toBe(50)
    const again = withColumns(dropped, ['parity'])
    expect(dropped.files).toEqual(snapshot.files)
    expect(String((await exportSlices(again, { limit: 1 })).slices[0])).toBe('"0",""\n')
  })
})

describe('columns with duplicates', () => {
  it('are found across the files of a table', async () => {
    const { snapshot } = await fixture.load(numbers(100))
    expect(await fixture.engine.hasDuplicates(snapshot, ['n'])).toBe(false)
    expect(await fixture.engine.hasDuplicates(snapshot, ['parity'])).toBe(true)
    expect(await fixture.engine.hasDuplicates(snapshot, ['parity', 'n'])).toBe(false)
  })
})
