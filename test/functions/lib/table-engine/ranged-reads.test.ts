import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { withColumns, withFiles, withoutColumn } from '#lib/table-engine/files/snapshot.ts'
import type { PreviewQuery } from '#lib/table-engine/preview-table.ts'
import type { RowConditions } from '#lib/table-engine/rows/row-conditions.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture } from './support/table-fixture.ts'

/** About 6 files of 180 kB, in the order of the key. Their texts do not compress. */
const ROWS = 20_000
const text = (id: number): string => createHash('sha256').update(String(id)).digest('base64')
const idOf = (index: number): string => String(1_000_000 + index)
const toCsv = (indices: number[], textOf = text): string =>
  ['id,text', ...indices.map(index => `${idOf(index)},${textOf(index)}`), ''].join('\n')

const tables = await untilEnd(createTableFixture({ chunkBytes: 200_000 }))
const all = Array.from({ length: ROWS }, (_, index) => index)
const table = (await tables.load(toCsv(all), { primaryKey: ['id'], keyPrefix: 'tables/1/ranged/' })).snapshot

const bytesOf = (...indices: number[]): number =>
  indices.reduce((sum, index) => sum + (table.files[index]?.bytes ?? 0), 0)

/** The files that the engine has read since the last call, by their place in the table. */
const filesRead = (): number[] => {
  const keys = new Set(tables.log.splice(0).map(line => line.split(' ')[1]))
  return table.files.flatMap(({ key }, index) => (keys.has(key) ? [index] : []))
}

describe('what is read of a table', () => {
  it('for a load: keys of files that may hold one, and digests of the rows of files that do', async () => {
    expect(table.files.length).toBeGreaterThan(3)
    filesRead()
    const near = await tables.load(
      toCsv([5, 7], () => 'new'),
      { current: table, incremental: true },
    )
    expect(filesRead()).toEqual([0])
    expect(near.bytesRead).toBeLessThan(bytesOf(0) / 3)
    const far = await tables.load(
      toCsv([5, ROWS - 1], () => 'new'),
      { current: table, incremental: true },
    )
    expect(filesRead()).toEqual([0, table.files.length - 1])
    expect(far.snapshot.rowsCount).toBe(ROWS)
  })

  it('for a load of new keys: nothing', async () => {
    const { bytesRead } = await tables.load('id,text\n3,a\n9,b\n', { current: table, incremental: true })
    expect(bytesRead).toBe(0)
  })

  it('for a load of unchanged rows: their values, too', async () => {
    const { snapshot } = await tables.load(toCsv([5]), { current: table, incremental: true })
    expect(snapshot.files).toEqual(table.files)
  })

  it('for a load after a change of columns: values in place of digests', async () => {
    const other = withColumns(withoutColumn(table, 'text'), ['note'])
    const same = await tables.load(`id,note\n${idOf(5)},\n`, { current: other, incremental: true })
    expect(same.snapshot.files).toEqual(table.files)
    const changed = await tables.load(`id,note\n${idOf(5)},a\n`, { current: other, incremental: true })
    expect(changed.snapshot.files[0]?.deletes).toMatchObject({ rows: 1 })
  })

  it.each<[string, RowConditions, number[]]>([
    ['one key', { where: [{ column: 'id', operator: 'eq', values: [idOf(3)] }] }, [0]],
    ['keys up to one', { where: [{ column: 'id', operator: 'lt', values: [idOf(1)] }] }, [0]],
    ['no key', { where: [{ column: 'id', operator: 'gt', values: ['9'] }] }, []],
    ['rows changed since a later load', { changedSince: new Date('2099-01-01') }, []],
    ['rows changed before the load', { changedUntil: new Date('2001-01-01') }, []],
  ])('for a search of %s: the files that may hold it', async (_, conditions, files) => {
    filesRead()
    await tables.engine.preview(table, { limit: 10_000, ...conditions })
    expect(filesRead()).toEqual(files)
    const { snapshot } = await tables.engine.deleteRows({
      snapshot: table,
      keyPrefix: 'tables/1/d/',
      ...conditions,
    })
    expect(filesRead()).toEqual(files)
    expect(snapshot.rowsCount).toBe(ROWS - (files.length === 0 ? 0 : 1))
  })

  it('for a preview: one file, and only the wanted columns', async () => {
    filesRead()
    const { bytesRead } = await tables.engine.preview(table, { limit: 100, columns: ['id'] })
    expect(filesRead()).toEqual([0])
    expect(bytesRead).toBeLessThan(bytesOf(0) / 3)
  })

  it('for an export of what a load changed: the file of the load', async () => {
    const since = new Date('2098-01-01')
    const { snapshot } = await tables.load(
      toCsv([9], () => 'new'),
      {
        current: table,
        incremental: true,
        loadedAt: new Date('2098-01-02'),
      },
    )
    const target = { bucket: 'data', key: 'changed' }
    const result = await tables.engine.export({
      snapshot,
      fileType: 'csv',
      gzip: false,
      target,
      changedSince: since,
    })
    expect(result.rowsCount).toBe(1)
    expect(result.bytesRead).toBe(snapshot.files.at(-1)?.bytes)
  })

  it('for a check of duplicates: the columns of the key', async () => {
    filesRead()
    const before = tables.log.length
    expect(await tables.engine.hasDuplicates(table, ['id'])).toBe(false)
    const read = tables.log.slice(before).reduce((sum, line) => sum + Number(line.split(' ')[2]), 0)
    expect(read).toBeLessThan(bytesOf(...table.files.keys()) / 3)
  })
})

describe('a preview with a filter or an order', () => {
  const MiB = 1024 ** 2
  // Each file takes a megabyte of the bound, and its bytes.
  const maxBytes = 3 * MiB
  const preview = (query: Partial<PreviewQuery>) => {
    const before = tables.log.length
    const read = tables.engine.preview(table, { limit: 10, maxBytes, ...query })
    return {
      read,
      bytes: () => tables.log.slice(before).reduce((sum, line) => sum + Number(line.split(' ')[2]), 0),
    }
  }

  it('is refused that has to read more than its bound, before that is read', async () => {
    const refused = { name: 'UserError', code: 'storage.preview.tooLarge', params: { maxBytes } }
    const nowhere = preview({ where: [{ column: 'text', operator: 'eq', values: ['a'] }] })
    await expect(nowhere.read).rejects.toMatchObject(refused)
    expect(nowhere.bytes()).toBeLessThanOrEqual(bytesOf(0, 1))
    const ordered = preview({ orderBy: [{ column: 'text', order: 'ASC' }] })
    await expect(ordered.read).rejects.toMatchObject(refused)
    expect(ordered.bytes()).toBe(0)
    await expect(preview({ fulltextSearch: 'nowhere' }).read).rejects.toMatchObject(refused)

    const rowsOf = async (query: Partial<PreviewQuery>) => (await preview(query).read).rows.length
    expect(await rowsOf({ where: [{ column: 'id', operator: 'ge', values: [idOf(ROWS - 1)] }] })).toBe(1)
    expect(await rowsOf({ where: [{ column: 'text', operator: 'ge', values: ['0'] }] })).toBe(10)
    expect(await rowsOf({ maxBytes: 1 })).toBe(10)
  })

  it('is refused to an ordered preview by what the table knows of its files, without a read', async () => {
    const { snapshot } = await tables.load('n\n1\n')
    const many = withFiles(snapshot, Array.from({ length: 3 }, () => snapshot.files).flat())
    const before = tables.log.length
    const query = { limit: 1, orderBy: [{ column: 'n', order: 'ASC' as const }], maxBytes: 3 * 1024 ** 2 }
    await expect(tables.engine.preview(many, query)).rejects.toMatchObject({
      code: 'storage.preview.tooLarge',
    })
    expect(tables.log.slice(before)).toEqual([])
    expect((await tables.engine.preview(snapshot, query)).rows).toEqual([['1']])
  })
})
