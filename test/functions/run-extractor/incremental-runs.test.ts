import { expect, it } from 'vitest'
import { untilEnd } from '#support/until-end.ts'
import { startStoredRuns } from './stored-runs.ts'

let rows: { id: number; at: string; name: string }[]
const extraction = await untilEnd(
  startStoredRuns(({ query }) => rows.filter(({ at }) => at > (query.get('since') ?? ''))),
)

const thirty = () => Array.from({ length: 30 }, (_, id) => ({ id, at: '2026-01-01', name: 'old' }))
const job = { endpoint: 'people', incremental: { idKey: 'at', param: 'since', type: 'date' } }

const store = (configurationId: string, people: object, config: object = {}) =>
  extraction.create(configurationId, { jobs: [people], ...config })

const call = (method: string, path: string, body?: object) => extraction.call(method, path, body)

const namesOf = async (tableId: string): Promise<string[]> => {
  const { rows } = await call('GET', `tables/${tableId}/data-preview?format=json&limit=1000`)
  return rows.map(([id, , name]: { value: string }[]) => `${id?.value} ${name?.value}`)
}

it('a second run that finds one changed record leaves all others in the table', async () => {
  rows = thirty()
  await store('keyed', { ...job, primaryKey: ['id'] })
  await extraction.run('keyed')
  expect(await call('GET', 'tables/in.c-keyed.people')).toMatchObject({ rowsCount: 30, primaryKey: ['id'] })

  rows = rows.map(row => (row.id === 7 ? { ...row, at: '2026-02-01', name: 'new' } : row))
  const { end } = await extraction.run('keyed')
  expect(end.result).toMatchObject({ status: 'success', rowsLoaded: 1, rows: [{ warnings: [] }] })
  expect((await namesOf('in.c-keyed.people')).sort()).toEqual(
    thirty()
      .map(({ id }) => (id === 7 ? '7 new' : `${id} old`))
      .sort(),
  )
})

it('a table without the key is not loaded, and the run says what to do', async () => {
  rows = thirty()
  const bucketId = await extraction.service.createBucket('keyless')
  await extraction.service.createTable(bucketId, 'people', 'id,at,name\n7,2026-01-01,old\n')
  await store('keyless', { ...job, primaryKey: ['id'] })
  const { end } = await extraction.run('keyless')
  expect(end).toMatchObject({
    result: { status: 'error' },
    failure: {
      Error: 'storage.tables.primaryKeyDiffers',
      Cause: expect.stringContaining('tables/in.c-keyless.people/primary-key'),
    },
  })
  expect(await namesOf(`${bucketId}.people`)).toEqual(['7 old'])

  await call('POST', `tables/${bucketId}.people/primary-key`, { columns: ['id'] })
  await extraction.run('keyless')
  expect(await namesOf(`${bucketId}.people`)).toHaveLength(30)
})

it('a full load into a table with another key warns, in the result and in the event', async () => {
  rows = thirty()
  const bucketId = await extraction.service.createBucket('other')
  await extraction.service.createTable(bucketId, 'people', 'id,at,name\n7,2026-01-01,old\n', {
    primaryKey: 'id,at',
  })
  await store('other', { endpoint: 'people', primaryKey: ['id'] })
  const { end } = await extraction.run('other')
  const warnings = [expect.stringContaining('has the primary key "id, at", not "id"')]
  expect(end.result).toMatchObject({ status: 'success', rows: [{ warnings }] })
  const [event] = await call('GET', 'events?component=ex-generic-v2&configurationId=other')
  expect(event).toMatchObject({ type: 'warn', results: { rows: [{ warnings }] } })
})

it('with types=detect tables have the types of JSON, and stay so', async () => {
  const first = {
    id: 1,
    zip: '107',
    price: 1,
    ok: true,
    at: '2026-01-31 10:00:00',
  }
  const later = { id: 2, zip: '1.10', price: 1.5, ok: false, at: '2026-02-01 00:00:00' }
  rows = [first, later] as never
  await store('typed', { endpoint: 'people', primaryKey: ['id'] }, { types: 'detect' })
  await extraction.run('typed')
  const { definition } = await call('GET', 'tables/in.c-typed.people')
  const typesOf = ({ name, definition: { type } }: { name: string; definition: { type: string } }) =>
    `${name} ${type}`
  expect(definition.columns.map(typesOf)).toEqual([
    'at VARCHAR', 'id NUMBER', 'ok BOOLEAN', 'price FLOAT', 'zip VARCHAR',
  ]) // biome-ignore format: one list
  const { rows: found } = await call('GET', 'tables/in.c-typed.people/data-preview?format=json')
  expect(found.map((cells: { value: string }[]) => cells.map(({ value }) => value))).toEqual([
    ['1', '107', '1', 'true', '2026-01-31 10:00:00'],
    ['2', '1.10', '1.5', 'false', '2026-02-01 00:00:00'],
  ])

  rows = [{ ...first, price: 'much' }] as never
  const { end } = await extraction.run('typed')
  expect(end.result).toMatchObject({
    rows: [{ warnings: [expect.stringContaining('price from FLOAT to VARCHAR')] }],
  })
})
