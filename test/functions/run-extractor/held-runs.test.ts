import { join } from 'node:path'
import { DeleteObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Extraction, newExecution, startExtraction } from '../../support/extraction.ts'
import { type ApiServer, startApi } from '../lib/extractor/api-server.ts'

let extraction: Extraction
let api: ApiServer
let items: object[] = []
let others: object[] = []

beforeAll(async () => {
  extraction = await startExtraction()
  api = await startApi(({ path }) => (path === '/items' ? items : others))
})

afterAll(async () => {
  await api?.close()
  await extraction?.close()
})

const call = async (method: string, path: string, body?: object) =>
  (await extraction.service.call(method, `/v2/storage/${path}`, body)).body

const configs = 'components/ex-generic-v2/configs'

const create = (configurationId: string, more: object = {}) =>
  call('POST', configs, {
    configurationId,
    name: configurationId,
    configuration: {
      parameters: {
        api: { baseUrl: `${api.origin}/` },
        config: { outputBucket: configurationId, drift: 'hold', jobs: [{ endpoint: 'items' }] },
      },
      ...more,
    },
  })

const stateOf = async (configId: string) => (await call('GET', `${configs}/${configId}`)).state
const rowsOf = async (table: string) =>
  (await call('GET', `tables/in.c-${table}/data-preview?format=json`)).rows.map((row: { value: string }[]) =>
    row.map(({ value }) => value).join(),
  )

/** A run of data that have changed since a first one, and its id. */
const held = async (configId: string, changed: object[] = [{ a: 'x' }]) => {
  const execution = newExecution()
  items = changed
  const { end, steps } = await extraction.run(configId, { execution })
  return { id: execution.split(':').at(-1) ?? '', result: end.result as Record<string, unknown>, steps }
}

const decide = async (configId: string, decides: string, decision: 'approve' | 'reject') =>
  (await extraction.run(configId, { decides, decision })).end

const prepared = async (configId: string, more: object = {}) => {
  await create(configId, more)
  items = [{ a: 1 }]
  await extraction.run(configId)
}

it('holds tables and state back, and loads exactly them when they are approved', async () => {
  await prepared('approved')
  const before = await stateOf('approved')
  const { id, result, steps } = await held('approved')
  expect(steps).not.toContain('load')
  expect(result).toMatchObject({
    status: 'held',
    rowsLoaded: 0,
    rows: [
      { status: 'held', tables: [], drift: { changes: [{ column: 'a', change: 'type', rule: 'hold' }] } },
    ],
  })
  expect(JSON.stringify(result)).not.toContain('heldKey')
  expect(await rowsOf('approved.items')).toEqual(['1'])
  expect(await stateOf('approved')).toEqual(before)
  const [event] = await call('GET', 'events?component=ex-generic-v2&configurationId=approved')
  expect(event).toMatchObject({ type: 'warn', message: expect.stringContaining('approves or rejects') })

  items = [{ a: 'newer than what is approved' }]
  const { result: approved } = await decide('approved', id, 'approve')
  expect(approved).toMatchObject({ status: 'success', rowsLoaded: 1, decides: id, decision: 'approve' })
  expect(await rowsOf('approved.items')).toEqual(['x'])
  const after = await stateOf('approved')
  expect(after.millrace.profiles[0].columns).toEqual([['a', 'text', 0]])
  const next = (await extraction.run('approved')).end.result
  expect(next).toMatchObject({ status: 'success', rows: [{ drift: { changes: [] } }] })

  expect(await decide('approved', id, 'approve')).toMatchObject({
    failure: { Error: 'extractor.hold.superseded' },
  })
  expect(await rowsOf('approved.items')).toEqual(['newer than what is approved'])
})

it('drops what is rejected: the next run reads from the old state', async () => {
  await prepared('rejected')
  const before = await stateOf('rejected')
  const { id } = await held('rejected')
  const { result } = await decide('rejected', id, 'reject')
  expect(result).toMatchObject({ status: 'rejected', rowsLoaded: 0, rows: [{ status: 'rejected' }] })
  expect(await rowsOf('rejected.items')).toEqual(['1'])
  expect(await stateOf('rejected')).toEqual(before)
  expect(await decide('rejected', id, 'approve')).toMatchObject({ failure: { Error: 'extractor.hold.gone' } })
  expect((await held('rejected')).result).toMatchObject({ status: 'held' })
})

it('a later run that is loaded takes the place of one that waits', async () => {
  await prepared('later')
  const { id } = await held('later')
  items = [{ a: 2 }]
  const settings = { now: () => new Date(Date.now() + 60_000) }
  expect((await extraction.run('later', { settings })).end.result).toMatchObject({ status: 'success' })
  expect(await decide('later', id, 'approve')).toMatchObject({
    failure: { Error: 'extractor.hold.superseded' },
  })
  expect(await rowsOf('later.items')).toEqual(['2'])
})

it('of two runs that wait the first that is approved counts', async () => {
  await prepared('two')
  const first = await held('two', [{ a: 'first' }])
  const second = await held('two', [{ a: 'second' }])
  expect((await decide('two', second.id, 'approve')).result).toMatchObject({ status: 'success' })
  expect(await decide('two', first.id, 'approve')).toMatchObject({
    failure: { Error: 'extractor.hold.superseded' },
  })
  expect(await rowsOf('two.items')).toEqual(['second'])
})

it('says that nothing is left to approve', async () => {
  await prepared('expired')
  const { id } = await held('expired')
  const { s3, bucket } = extraction.work
  const { Contents = [] } = await s3.send(
    new ListObjectsV2Command({ Bucket: bucket, Prefix: `runs/${id}/row-0/` }),
  )
  const parts = Contents.filter(({ Key = '' }) => /held-[^/]+\//.test(Key))
  expect(parts.length).toBeGreaterThan(0)
  for (const { Key } of parts) await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }))
  const gone = { failure: { Error: 'extractor.hold.gone' } }
  expect(await decide('expired', id, 'approve')).toMatchObject(gone)
  await prepared('other')
  const ofOther = await held('other')
  expect(await decide('expired', ofOther.id, 'approve')).toMatchObject(gone)
  expect(await decide('expired', 'nobody', 'reject')).toMatchObject(gone)
  expect(await rowsOf('expired.items')).toEqual(['1'])
})

it('holds each row by itself, and its recording is the good one once it is loaded', async () => {
  await create('rows', { keepRecordings: true })
  for (const endpoint of ['items', 'others'])
    await call('POST', `${configs}/rows/rows`, {
      rowId: endpoint,
      name: endpoint,
      configuration: { parameters: { config: { jobs: [{ endpoint }] } } },
    })
  items = [{ a: 1 }]
  others = [{ b: 1 }]
  await extraction.run('rows')
  others = [{ b: 2 }]
  const { id, result } = await held('rows')
  expect(result).toMatchObject({ status: 'held', rows: [{ status: 'held' }, { status: 'success' }] })
  expect([await rowsOf('rows.items'), await rowsOf('rows.others')]).toEqual([['1'], ['2']])
  expect((await decide('rows', id, 'approve')).result).toMatchObject({
    status: 'success',
    rows: [{ id: 'items', status: 'success', rowsLoaded: 1 }],
  })
  expect(await rowsOf('rows.items')).toEqual(['x'])
})

it('an approval that is begun and carried out twice loads once', async () => {
  await prepared('twice')
  const { id } = await held('twice')
  const input = {
    componentId: 'ex-generic-v2',
    configId: 'twice',
    overlap: 'wait' as const,
    decides: id,
    decision: 'approve' as const,
  }
  const execution = newExecution()
  extraction.running.add(execution)
  const container = { scratchFolder: join(extraction.scratch, 'another container') }
  for (const step of ['begin', 'leg'] as const)
    await Promise.all([
      extraction.advance(step, execution, input),
      extraction.advance(step, execution, input, container),
    ])
  let last = await extraction.advance('load', execution, input)
  while (!('result' in last)) last = await extraction.advance(last.next, execution, input)
  extraction.running.delete(execution)
  expect(last.result).toMatchObject({ status: 'success', rowsLoaded: 1 })
  expect(await rowsOf('twice.items')).toEqual(['x'])
})
