import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StoredRuns, startStoredRuns } from './stored-runs.ts'

let extraction: StoredRuns
beforeAll(async () => {
  extraction = await startStoredRuns(() => [
    { id: '7', price: '9.90', ratio: 0.25, paid: true, day: '01.03.2026', at: 1772352000250, note: 'x' },
    { id: 8, price: '', ratio: null, paid: 0, day: null, at: '', note: '' },
  ])
})
afterAll(() => extraction?.close())

const cast = {
  id: 'integer',
  price: { to: 'number', format: '12,2' },
  ratio: 'number',
  paid: 'boolean',
  day: { to: 'date', format: 'd.m.Y' },
  at: { to: 'timestamp', format: 'Uv' },
}

const create = (configurationId: string, job: object) =>
  extraction.create(configurationId, {
    outputBucket: 'typed',
    jobs: [{ endpoint: 'orders', primaryKey: 'id', ...job }],
  })

const table = async () => await extraction.call('GET', 'tables/in.c-typed.orders')

const rows = async (): Promise<string[][]> => {
  const { rows } = await extraction.call('GET', 'tables/in.c-typed.orders/data-preview?format=json')
  return rows.map((row: { value: string }[]) => row.map(({ value }) => value))
}

describe('a run whose jobs cast', () => {
  it('makes a typed table and loads it, and loads it again', async () => {
    await create('first', { records: [{ cast }] })
    const { end } = await extraction.run('first')
    expect(end.result).toMatchObject({ status: 'success', rowsLoaded: 2, rows: [{ warnings: [] }] })
    const { isTyped, definition } = await table()
    expect(isTyped).toBe(true)
    expect(definition.primaryKeysNames).toEqual(['id'])
    const types = definition.columns.map((column: { name: string; basetype: string }) => [
      column.name,
      column.basetype,
    ])
    expect(Object.fromEntries(types)).toEqual({
      id: 'INTEGER',
      price: 'NUMERIC',
      ratio: 'FLOAT',
      paid: 'BOOLEAN',
      day: 'DATE',
      at: 'TIMESTAMP',
      note: 'STRING',
    })
    const [first = [], second = []] = (await rows()).sort()
    expect([first[0], first[1], first[3], first[4], first[6]]).toEqual([
      '7',
      '9.90',
      'true',
      '2026-03-01',
      'x',
    ])
    expect(first[5]).toContain('2026-03-01 08:00:00.25')
    expect(second[0]).toBe('8')
    expect((await extraction.run('first')).end.result).toMatchObject({ status: 'success', rowsLoaded: 2 })
    expect(await rows()).toHaveLength(2)
  })

  it('leaves the types of a table that exists', async () => {
    await create('second', { records: [{ cast: { price: 'number' } }] })
    const { end } = await extraction.run('second')
    expect(end.result).toMatchObject({ status: 'error' })
    const { columns } = (await table()).definition
    expect(columns).toContainEqual(expect.objectContaining({ name: 'price', basetype: 'NUMERIC' }))
  })
})
