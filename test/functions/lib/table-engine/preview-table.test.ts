import { describe, expect, it } from 'vitest'
import type { Snapshot } from '#lib/table-engine/files/snapshot.ts'
import type { PreviewQuery } from '#lib/table-engine/preview-table.ts'
import { untilEnd } from '#support/until-end.ts'
import { createTableFixture } from './support/table-fixture.ts'

const FIRST = new Date('2024-01-01T00:00:00.000Z')
const SECOND = new Date('2024-01-02T00:00:00.500Z')

const tables = await untilEnd(createTableFixture({ chunkBytes: 30 }))
const { snapshot: current } = await tables.load(
  'id,name,amount\n1,Böhm,9\n2,"O\'Hara",10\n3,,\n4,"new\nline",-1.5\n',
  { loadedAt: FIRST, primaryKey: ['id'] },
)
const snapshot: Snapshot = (await tables.load('id,name,amount\n5,zoë,1e2\n', { current, incremental: true, loadedAt: SECOND }))
  .snapshot // biome-ignore format: one statement

const ids = async (query: Partial<PreviewQuery>): Promise<string> =>
  (await tables.engine.preview(snapshot, { limit: 100, columns: ['id'], ...query })).rows.join()

describe('preview', () => {
  it('gives the first rows in the order of the table', async () => {
    expect(await tables.engine.preview(snapshot, { limit: 2 })).toMatchObject({
      columns: ['id', 'name', 'amount'],
      rows: [
        ['1', 'Böhm', '9'],
        ['2', "O'Hara", '10'],
      ],
    })
    expect(await ids({})).toBe('1,2,3,4,5')
    expect(await ids({ limit: 0 })).toBe('')
  })

  it('gives the columns asked for, in the order asked for', async () => {
    expect(await tables.engine.preview(snapshot, { limit: 1, columns: ['amount', 'id'] })).toMatchObject({
      columns: ['amount', 'id'],
      rows: [['9', '1']],
    })
  })

  it('reads no more files than it needs', async () => {
    tables.log.splice(0)
    await ids({ limit: 1 })
    expect(tables.log).toEqual([`read ${snapshot.files[0]?.key} ${snapshot.files[0]?.bytes}`])
  })

  const filters: { it: string; query: Partial<PreviewQuery>; ids: string }[] = [
    { it: 'eq one value', query: { where: [{ column: 'name', operator: 'eq', values: ["O'Hara"] }] }, ids: '2' },
    { it: 'eq one of several', query: { where: [{ column: 'id', operator: 'eq', values: ['1', '4', 'x'] }] }, ids: '1,4' },
    { it: 'eq empty', query: { where: [{ column: 'name', operator: 'eq', values: [''] }] }, ids: '3' },
    { it: 'eq nothing', query: { where: [{ column: 'id', operator: 'eq', values: [] }] }, ids: '' },
    { it: 'ne', query: { where: [{ column: 'id', operator: 'ne', values: ['1', '2'] }] }, ids: '3,4,5' },
    { it: 'gt as text', query: { where: [{ column: 'amount', operator: 'gt', values: ['2'] }] }, ids: '1' },
    { it: 'gt as a number', query: { where: [{ column: 'amount', operator: 'gt', values: ['2'], dataType: 'DOUBLE' }] }, ids: '1,2,5' },
    { it: 'ge as a number', query: { where: [{ column: 'amount', operator: 'ge', values: ['10'], dataType: 'DECIMAL' }] }, ids: '2,5' },
    { it: 'lt as a number: what is none does not count', query: { where: [{ column: 'amount', operator: 'lt', values: ['0'], dataType: 'REAL' }] }, ids: '4' },
    { it: 'le as text', query: { where: [{ column: 'id', operator: 'le', values: ['2'] }] }, ids: '1,2' },
    { it: 'all of several', query: { where: [{ column: 'id', operator: 'gt', values: ['1'] }, { column: 'name', operator: 'ne', values: [''] }] }, ids: '2,4,5' },
    { it: 'quotes and line breaks in values', query: { where: [{ column: 'name', operator: 'eq', values: ["'; DROP", 'new\nline'] }] }, ids: '4' },
    { it: 'changedSince', query: { changedSince: SECOND }, ids: '5' },
    { it: 'changedSince just after', query: { changedSince: new Date(SECOND.getTime() + 1) }, ids: '' },
    { it: 'changedUntil', query: { changedUntil: SECOND }, ids: '1,2,3,4' },
    { it: 'order as text', query: { orderBy: [{ column: 'amount', order: 'ASC' }] }, ids: '3,4,2,5,1' },
    { it: 'order as numbers, what is none last', query: { orderBy: [{ column: 'amount', order: 'DESC', dataType: 'DOUBLE' }] }, ids: '5,2,1,4,3' },
    { it: 'order with a limit, across files', query: { orderBy: [{ column: 'id', order: 'DESC' }], limit: 2 }, ids: '5,4' },
  ] // biome-ignore format: one case, one line
  it.each(filters)('$it', async ({ query, ids: expected }) => {
    expect(await ids(query)).toBe(expected)
  })

  it('refuses columns that the table does not have', async () => {
    const refusal = { name: 'UserError', code: 'storage.tables.validation.columnNotExists' }
    await expect(ids({ columns: ['id', 'x"; --'] })).rejects.toMatchObject(refusal)
    await expect(ids({ columns: ['_timestamp'] })).rejects.toMatchObject(refusal)
    await expect(ids({ orderBy: [{ column: 'ID', order: 'ASC' }] })).rejects.toMatchObject(refusal)
    await expect(ids({ where: [{ column: 'y', operator: 'eq', values: [] }] })).rejects.toMatchObject(refusal)
  })

  it('refuses NUL in a value, which no cell has', async () => {
    const where = [{ column: 'id', operator: 'eq' as const, values: ['1\0'] }]
    await expect(ids({ where })).rejects.toMatchObject({
      name: 'UserError',
      code: 'storage.tables.validation',
    })
  })

  it('leaves no scratch files', async () => {
    expect(await tables.scratch()).toEqual([])
  })
})
