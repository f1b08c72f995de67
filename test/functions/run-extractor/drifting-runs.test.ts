import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StoredRuns, startStoredRuns } from './stored-runs.ts'

let items: object[] = []
let extraction: StoredRuns
beforeAll(async () => {
  extraction = await startStoredRuns(() => items)
})
afterAll(() => extraction?.close())

const create = (configurationId: string, drift: string) =>
  extraction.create(configurationId, { drift, jobs: [{ endpoint: 'items' }] })

const get = (path: string) => extraction.call('GET', path)

const change = { table: 'warned.items', column: 'b', change: 'new', after: 'integer', rule: 'warn' }

describe('a scheduled run whose data have changed', () => {
  it('with "warn" says so in its result and in its event, and loads', async () => {
    await create('warned', 'warn')
    items = [{ a: 1 }]
    expect((await extraction.run('warned')).end.result).toMatchObject({
      rows: [{ drift: { compared: 0, changes: [], more: 0 }, warnings: [] }],
    })
    items = [{ a: 1, b: 2 }]
    const { end } = await extraction.run('warned')
    expect(end.result).toMatchObject({
      status: 'success',
      rows: [
        {
          drift: { compared: 1, changes: [change], more: 0 },
          warnings: ["Changed since the last run: table 'warned.items' has a new column 'b' (integer)."],
        },
      ],
    })
    const events: { type: string; results?: { rows?: unknown } }[] = await get(
      'events?component=ex-generic-v2',
    )
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'warn',
        results: expect.objectContaining({
          rows: [expect.objectContaining({ drift: expect.objectContaining({ changes: [change] }) })],
        }),
      }),
    )
    expect(await get('tables/in.c-warned.items')).toMatchObject({ columns: ['a', 'b'] })
  })

  it('with "fail" touches no table and no state', async () => {
    await create('failed', 'fail')
    items = [{ a: 1 }]
    await extraction.run('failed')
    const before = await get('components/ex-generic-v2/configs/failed')
    items = [{ a: 'x' }, { a: 'y' }]
    const { end } = await extraction.run('failed')
    expect(end.result).toMatchObject({
      status: 'error',
      error: { code: 'extractor.drift', message: expect.stringContaining('was integer and is text') },
    })
    expect(await get('tables/in.c-failed.items')).toMatchObject({ rowsCount: 1 })
    expect((await get('components/ex-generic-v2/configs/failed')).state).toEqual(before.state)
  })
})
