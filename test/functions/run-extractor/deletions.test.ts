import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Extraction, newExecution, startExtraction } from '../../support/extraction.ts'
import { type ApiServer, startApi } from '../lib/extractor/api-server.ts'

let extraction: Extraction
let api: ApiServer
let ids: number[]
let isBroken = false
let configId: string
let configs = 0

beforeAll(async () => {
  extraction = await startExtraction()
  api = await startApi(({ path, query }, response) => {
    if (path === '/broken' && isBroken) response.statusCode = 403
    if (path !== '/items') return []
    const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit') ?? ids.length)]
    return ids.slice((page - 1) * limit, page * limit).map(id => ({ id }))
  })
})

afterAll(async () => {
  await api?.close()
  await extraction?.close()
})

const call = async (method: string, path: string, body?: object) =>
  (await extraction.service.call(method, `/v2/storage/${path}`, body)).body

const configPath = () => `components/ex-generic-v2/configs/${configId}`

beforeEach(async () => {
  configId = `gone${++configs}`
  const job = { endpoint: 'items', primaryKey: ['id'], completeness: 'fail', deletions: 'column' }
  const parameters = { api: { baseUrl: `${api.origin}/` }, config: { outputBucket: configId, jobs: [job] } }
  await call('POST', 'components/ex-generic-v2/configs', {
    configurationId: configId,
    name: configId,
    configuration: { parameters },
  })
  ids = [1, 2, 3]
  await extraction.run(configId)
})

/** `<id>` or `<id> gone`, sorted. */
const rows = async (): Promise<string[]> => {
  const { rows } = await call('GET', `tables/in.c-${configId}.items/data-preview?format=json&limit=100`)
  return rows
    .map(([id, gone]: { value: string }[]) => (gone?.value === '1' ? `${id?.value} gone` : id?.value))
    .sort()
}

const keySets = async (): Promise<string[]> => {
  const { s3, bucket } = extraction.work
  const { Contents = [] } = await s3.send(
    new ListObjectsV2Command({ Bucket: bucket, Prefix: `key-sets/ex-generic-v2/${configId}/` }),
  )
  return Contents.map(({ Key = '' }) => Key)
}

it('a run marks what is gone, in the table that it loads, and keeps one set of keys', async () => {
  expect(await rows()).toEqual(['1', '2', '3'])
  ids = [1, 3, 4]
  await extraction.run(configId)
  expect(await rows()).toEqual(['1', '2 gone', '3', '4'])
  ids = [2, 3, 4]
  await extraction.run(configId)
  expect(await rows()).toEqual(['1 gone', '2', '3', '4'])
  const [only, ...others] = await keySets()
  expect(others).toEqual([])
  const { state } = await call('GET', configPath())
  expect(state.millrace.keySets).toEqual({ [`${configId}.items`]: { file: only } })
})

it('a run that dies before its tables are loaded loses no deletion', async () => {
  ids = [1]
  const execution = newExecution()
  const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
  await extraction.advance('begin', execution, input)
  expect(await extraction.advance('leg', execution, input)).toMatchObject({ next: 'load' })
  expect(await keySets()).toHaveLength(2)

  const { end } = await extraction.run(configId)
  expect(end.result).toMatchObject({ status: 'success', rows: [{ jobs: [{ deleted: 2 }] }] })
  expect(await keySets()).toHaveLength(1)
  expect(await rows()).toEqual(['1', '2 gone', '3 gone'])
})

it('a run that waits for another compares with what that one read', async () => {
  const [first, second] = [newExecution(), newExecution()]
  const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
  extraction.running.add(first)
  ids = [1, 2, 3, 4]
  await extraction.advance('begin', first, input)
  let step = await extraction.advance('leg', first, input)
  expect(await extraction.advance('begin', second, input)).toMatchObject({ next: 'begin' })
  while (!('result' in step)) step = await extraction.advance(step.next, first, input)
  extraction.running.delete(first)

  ids = [1, 2]
  const { end } = await extraction.run(configId, { execution: second })
  expect(end.result).toMatchObject({ rows: [{ jobs: [{ deleted: 2 }] }] })
  expect(await rows()).toEqual(['1', '2', '3 gone', '4 gone'])
  expect(await keySets()).toHaveLength(1)
})

it('a run of several legs marks what none of them read', async () => {
  const { configuration } = await call('GET', configPath())
  const { parameters } = configuration
  const api = { ...parameters.api, pagination: { method: 'pagenum', limit: 1 } }
  await call('PUT', configPath(), { configuration: { parameters: { ...parameters, api } } })
  ids = Array.from({ length: 40 }, (_, at) => (at === 0 ? 1 : at + 2))
  const { end, steps } = await extraction.run(configId, { settings: { legSeconds: 0.02 } })
  expect(steps.filter(step => step === 'leg').length).toBeGreaterThan(1)
  expect(end.result).toMatchObject({ rows: [{ jobs: [{ deleted: 1 }] }] })
  expect(await rows()).toEqual(['2 gone', ...ids.map(String)].sort())
})

it('a run whose configuration is deleted under way leaves no keys', async () => {
  const execution = newExecution()
  const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
  await extraction.advance('begin', execution, input)
  let step = await extraction.advance('leg', execution, input)
  expect(await keySets()).toHaveLength(2)
  await call('DELETE', configPath())
  while (!('result' in step)) step = await extraction.advance(step.next, execution, input)
  expect(await keySets()).toEqual([])
})

it('a state that names what is not its own set begins anew and says so', async () => {
  const [own] = await keySets()
  const other = configId
  configId = `${other}-copy`
  await call('POST', 'components/ex-generic-v2/configs', {
    configurationId: configId,
    name: configId,
    configuration: (await call('GET', `components/ex-generic-v2/configs/${other}`)).configuration,
  })
  const keySetsOfState = { [`${other}.items`]: { file: own } }
  await call('PUT', `${configPath()}/state`, { state: { millrace: { keySets: keySetsOfState } } })
  ids = [1]
  const { end } = await extraction.run(configId)
  expect(end.result).toMatchObject({
    rows: [{ warnings: [expect.stringMatching(/the keys of the last run are not there/)] }],
  })
  configId = other
  expect(await keySets()).toEqual([own])
})

it('a recorded run repeats its deletions from the recording, and keeps one set of keys', async () => {
  const { configuration } = await call('GET', configPath())
  await call('PUT', configPath(), { configuration: { ...configuration, keepRecordings: true } })
  ids = [1, 4]
  const { end } = await extraction.run(configId)
  expect(end.result).toMatchObject({ rows: [{ jobs: [{ deleted: 2 }], warnings: [] }] })
  expect(await keySets()).toHaveLength(1)
})

it('a run that fails but keeps its windows keeps the keys of the run before', async () => {
  const { configuration } = await call('GET', configPath())
  const { parameters } = configuration
  const [job] = parameters.config.jobs
  const windows = { cursor: 'at', param: 'since', until: 'before', start: '2020-01-01', step: 'P1Y' }
  const events = { id: 'events', endpoint: 'events', primaryKey: ['id'], incremental: windows }
  const failing = { endpoint: 'broken', dataType: 'broken' }
  const store = (jobs: object[]) =>
    call('PUT', configPath(), {
      configuration: { parameters: { ...parameters, config: { ...parameters.config, jobs } } },
    })
  const before = await keySets()
  isBroken = true
  await store([events, job, failing])
  ids = [1]
  const failed = await extraction.run(configId)
  expect(failed.end.result).toMatchObject({ status: 'error' })
  const { state } = await call('GET', configPath())
  expect(state.millrace).toMatchObject({
    windows: { events: expect.anything() },
    keySets: { [`${configId}.items`]: { file: before[0] } },
  })
  expect(await keySets()).toEqual(before)

  isBroken = false
  await store([job])
  await extraction.run(configId)
  expect(await rows()).toEqual(['1', '2 gone', '3 gone'])
})
