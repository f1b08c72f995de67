import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { executionName } from '#lib/cloud/execution-name.ts'
import { untilEnd } from '#support/until-end.ts'
import { newExecution, startExtraction } from '../../support/extraction.ts'
import type { Answer } from '../lib/extractor/api-server.ts'
import { startApi } from '../lib/extractor/api-server.ts'

let answer: Answer
let configId: string
let configs = 0

const extraction = await untilEnd(startExtraction())
const api = await untilEnd(startApi((request, response) => answer(request, response)))

beforeEach(() => {
  configs += 1
  configId = `c${configs}`
  answer = ({ path, query }) => pageOf(Number(query.get('offset') ?? 0), 10, path)
})

afterEach(() => {
  api.requests.length = 0
})

const PAGE = 4

/** Items of an API with `total` of them, by offset. */
const pageOf = (offset: number, total: number, path: string) =>
  Array.from({ length: Math.max(0, Math.min(PAGE, total - offset)) }, (_, index) => ({
    id: offset + index,
    of: path,
  }))

const root = (config: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  parameters: {
    api: { baseUrl: `${api.origin}/`, pagination: { method: 'offset', limit: PAGE } },
    config: { outputBucket: configId, jobs: [{ endpoint: 'items' }], ...config },
  },
  ...more,
})

const url = (rest = '') => `/v2/storage/components/ex-generic-v2/configs${rest}`

const createConfig = (configuration: unknown) =>
  extraction.service.call('POST', url(), { configurationId: configId, name: configId, configuration })

const createRow = (rowId: string, configuration: unknown, settings: object = {}) =>
  extraction.service.call('POST', url(`/${configId}/rows`), {
    rowId,
    name: rowId,
    configuration,
    ...settings,
  })

/** Everything that runs keep in their bucket. */
const workDocuments = async (): Promise<unknown[]> => {
  const { s3, bucket, read } = extraction.work
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }))
  const documents = Contents.filter(({ Key = '' }) => Key.endsWith('.json'))
  return Promise.all(documents.map(async ({ Key = '' }) => (await read(Key))?.value))
}

const config = async () => (await extraction.service.call('GET', url(`/${configId}`))).body

const table = async (name: string) =>
  (await extraction.service.call('GET', `/v2/storage/tables/in.c-${configId}.${name}`)).body

const rowsOf = async (tableId: string): Promise<string[][]> => {
  const { body } = await extraction.service.call(
    'GET',
    `/v2/storage/tables/${tableId}/data-preview?format=json&limit=1000`,
  )
  return body.rows.map((row: { value: string }[]) => row.map(({ value }) => value))
}

const jobs = (endpoint: string) => ({ parameters: { config: { jobs: [{ endpoint }] } } })

describe('what runs', () => {
  it('without rows: the root configuration, once, and the root state is saved', async () => {
    await createConfig(root())
    const { end } = await extraction.run(configId)
    expect(end.result).toMatchObject({ status: 'success', rowsLoaded: 10, requests: 3, rows: [{ id: null }] })
    expect(await table('items')).toMatchObject({ rowsCount: 10, columns: ['id', 'of'] })
    expect((await config()).state).toMatchObject({ time: { previousStart: expect.any(Number) } })
  })

  it('with rows: each in the set order, root and row merged, disabled ones not, with states of their own', async () => {
    await createConfig(root({ incrementalOutput: true }, { processors: { after: [] } }))
    await createRow('a', jobs('first'))
    await createRow('b', jobs('second'), { isDisabled: true })
    await createRow('c', jobs('third'))
    await extraction.service.call('PUT', url(`/${configId}`), { rowsSortOrder: ['c', 'b', 'a'] })
    const { end } = await extraction.run(configId)
    expect(end.result).toMatchObject({ rows: [{ id: 'c' }, { id: 'a' }] })
    expect(api.requests.map(({ path }) => path)).toEqual([
      ...['/third', '/third', '/third'],
      ...['/first', '/first', '/first'],
    ])
    const { state, rows } = await config()
    expect(state).toEqual({})
    const states = Object.fromEntries(rows.map((row: { id: string; state: object }) => [row.id, row.state]))
    expect(states).toMatchObject({ a: { time: {} }, b: {}, c: { time: {} } })
    expect(states.b).toEqual({})
  })

  it('all rows disabled: nothing', async () => {
    await createConfig(root())
    await createRow('a', jobs('first'), { isDisabled: true })
    const { end } = await extraction.run(configId)
    expect(end.result).toMatchObject({ status: 'success', rows: [], rowsLoaded: 0 })
    expect(api.requests).toEqual([])
  })

  it('the second run gets the state of the first; an empty state makes a first run again', async () => {
    const since = { time: 'previousStart' }
    const job = { endpoint: 'items', params: { since } }
    await createConfig(root({ incrementalOutput: true, jobs: [job] }))
    const sinceOfRun = async () => {
      api.requests.length = 0
      await extraction.run(configId)
      return Number(api.requests[0]?.query.get('since'))
    }
    expect(await sinceOfRun()).toBe(0)
    expect(await sinceOfRun()).toBeGreaterThan(1_700_000_000)
    expect((await table('items')).rowsCount).toBe(20)
    await extraction.service.call('PUT', url(`/${configId}/state`), { state: {} })
    expect(await sinceOfRun()).toBe(0)
  })

  it('a run takes the configuration as it is when it begins: a rollback changes the next one', async () => {
    await createConfig(root({ jobs: [{ endpoint: 'old' }] }))
    await extraction.service.call('PUT', url(`/${configId}`), {
      configuration: root({ jobs: [{ endpoint: 'new' }] }),
    })
    await extraction.run(configId)
    await extraction.service.call('POST', url(`/${configId}/versions/1/rollback`), {})
    await extraction.run(configId)
    expect([...new Set(api.requests.map(({ path }) => path))]).toEqual(['/new', '/old'])
  })

  it('a configuration that is not there ends in a failure that says so', async () => {
    const { end } = await extraction.run('nowhere')
    expect(end).toMatchObject({
      result: { status: 'error' },
      failure: { Error: 'notFound', Cause: expect.stringContaining('nowhere') },
    })
  })
})

describe('tables', () => {
  it('the output mapping wins over the manifest', async () => {
    const destination = `out.c-${configId}.mapped`
    const mapping = { source: `${configId}.items`, destination, primary_key: ['of'], incremental: true }
    await createConfig(root({}, { storage: { output: { tables: [mapping] } } }))
    const { end } = await extraction.run(configId)
    expect(end.result).toMatchObject({ rows: [{ tables: [{ tableId: destination, rows: 10 }] }] })
    const { body } = await extraction.service.call('GET', `/v2/storage/tables/${destination}`)
    expect(body).toMatchObject({ primaryKey: ['of'], rowsCount: 1 })
  })

  it('without an output bucket tables go to the bucket of the configuration', async () => {
    await createConfig(root({ outputBucket: undefined }))
    const { end } = await extraction.run(configId)
    const [row] = 'rows' in end.result ? end.result.rows : []
    expect(row?.tables[0]?.tableId).toBe(`in.c-ex-generic-v2-${configId}.items`)
  })

  it('a second row reads what the first one wrote, each of its rows as an iteration', async () => {
    await createConfig(root())
    await createRow('a', {
      parameters: { config: { jobs: [{ endpoint: 'shops', dataType: 'shops' }] } },
    })
    const input = { source: `in.c-${configId}.shops`, destination: 'shops.csv', columns: ['id'] }
    const where = { where_column: 'id', where_operator: 'eq', where_values: ['3', '7'] }
    await createRow('b', {
      storage: { input: { tables: [{ ...input, ...where }] } },
      parameters: {
        config: { jobs: [{ endpoint: 'sales', params: { shop: { attr: 'id' } }, dataType: 'sales' }] },
        iterations: { table: 'shops.csv' },
      },
    })
    answer = ({ path, query }) =>
      path === '/shops' ? pageOf(Number(query.get('offset') ?? 0), 10, path) : [{ shop: query.get('shop') }]
    const { end, steps } = await extraction.run(configId)
    expect(end.result).toMatchObject({ status: 'success', rows: [{ id: 'a' }, { id: 'b', rowsLoaded: 2 }] })
    expect(steps.filter(step => step === 'inputs').length).toBeGreaterThan(0)
    expect((await rowsOf(`in.c-${configId}.sales`)).sort()).toEqual([['3'], ['7']])
  })

  it('an input that is not there fails the row', async () => {
    await createConfig(root({}, { storage: { input: { tables: [{ source: `in.c-${configId}.nothing` }] } } }))
    const { end } = await extraction.run(configId)
    expect(end).toMatchObject({ failure: { Error: 'storage.tables.notFound' } })
  })
})

describe('failures', () => {
  const failing: Answer = ({ path, query }, response) => {
    if (path !== '/bad') return pageOf(Number(query.get('offset') ?? 0), 10, path)
    response.statusCode = 400
    response.end('{"error":"no such thing"}')
    return undefined
  }

  const threeRows = async (more: object = {}) => {
    answer = failing
    await createConfig(root({}, { ...more }))
    await createRow('a', jobs('good'))
    await createRow('b', jobs('bad'))
    await createRow('c', jobs('better'))
  }

  it('a failing row stops the run: earlier rows stay loaded, and the failure names row, job and request', async () => {
    await threeRows()
    const { end } = await extraction.run(configId)
    expect(end).toMatchObject({
      failure: {
        Error: 'extractor.response.status',
        Cause: expect.stringMatching(/^row b, job 0, GET bad: The API request failed: \[400\]/),
      },
      result: {
        status: 'error',
        rowsLoaded: 10,
        rows: [
          { id: 'a', status: 'success' },
          { id: 'b', status: 'error', error: { job: '0', request: 'GET bad' } },
          { id: 'c', status: 'waiting' },
        ],
      },
    })
    const { rows } = await config()
    expect(rows.map(({ state }: { state: object }) => Object.keys(state).length > 0)).toEqual([
      true,
      false,
      false,
    ])
  })

  it('with continueOnFailure the rows after it run, and the run is an error all the same', async () => {
    await threeRows({ continueOnFailure: true })
    const { end } = await extraction.run(configId)
    expect(end.result).toMatchObject({
      status: 'error',
      rowsLoaded: 20,
      rows: [{ status: 'success' }, { status: 'error' }, { status: 'success' }],
      error: { rowId: 'b' },
    })
  })

  it('an event and a figure tell how the run ended', async () => {
    await threeRows()
    extraction.counted.length = 0
    await extraction.run(configId)
    const { body: events } = await extraction.service.call(
      'GET',
      `/v2/storage/events?component=ex-generic-v2&configurationId=${configId}`,
    )
    expect(events).toEqual([
      expect.objectContaining({
        type: 'error',
        message: expect.stringContaining('Extraction failed in row b'),
        results: expect.objectContaining({ rowsLoaded: 10 }),
      }),
    ])
    expect(extraction.counted).toEqual([
      expect.objectContaining({ configId, isSuccess: false, rowsLoaded: 10, logins: 0 }),
    ])
  })

  it('a step that the machine gave up fails the row that it was at', async () => {
    await threeRows({ continueOnFailure: true })
    const execution = newExecution()
    const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
    await extraction.advance('begin', execution, input)
    const { advanceRun } = await import('#functions/run-extractor/advance-run.ts')
    const failure = { Error: 'Sandbox.Timedout', Cause: '{"errorMessage":"Task timed out"}' }
    const next = await advanceRun(
      { step: 'fail', execution, startedAt: new Date(), input, failure },
      extraction.services(),
    )
    expect(next).toEqual({ next: 'again', waitSeconds: 0, state: { step: 'leg' } })
    const { end } = await extraction.run(configId, { execution })
    expect(end.result).toMatchObject({
      rows: [{ id: 'a', error: { code: 'Sandbox.Timedout', message: 'Task timed out' } }, {}, {}],
    })
  })

  it('no secret of the configuration is in what the run leaves behind', async () => {
    answer = (request, response) => {
      response.statusCode = 400
      response.end(JSON.stringify({ error: 'bad key', sent: request.headers['authorization'] }))
      return undefined
    }
    const basic = { authentication: { type: 'basic' } }
    // Of a length that makes base64 of both another text than that of the password alone
    const given = root({ username: 'somebody', '#password': 'sealed' })
    await createConfig({ parameters: { ...given.parameters, api: { ...given.parameters.api, ...basic } } })
    const opened = (value: unknown) => JSON.parse(JSON.stringify(value).replace(/KBC::[^"]+/, 'top secret'))
    const settings = { openSecrets: async (value: unknown) => opened(value) }
    const { end } = await extraction.run(configId, { settings })
    expect(api.requests[0]?.headers.authorization).toBe(`Basic ${btoa('somebody:top secret')}`)
    const { body: events } = await extraction.service.call('GET', '/v2/storage/events?limit=5')
    const left = JSON.stringify([end, events, extraction.logged, await workDocuments()])
    expect(left).toContain('bad key')
    expect(left).not.toContain('top secret')
    expect(left).not.toContain(btoa('somebody:top secret'))
  })
})

describe('one run at a time', () => {
  it('another run of the configuration waits, or is skipped when it is told to', async () => {
    await createConfig(root())
    const [first, second] = [newExecution(), newExecution()]
    const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
    extraction.running.add(first)
    await extraction.advance('begin', first, input)
    expect(await extraction.advance('begin', second, input)).toEqual({
      next: 'begin',
      waitSeconds: expect.any(Number),
      waitsFor: [executionName(first)],
    })
    expect(await extraction.advance('begin', second, { ...input, overlap: 'skip' })).toEqual({
      next: 'end',
      result: { status: 'skipped', runningExecution: first },
    })
    await extraction.run(configId, { execution: first })
    expect((await extraction.run(configId, { execution: second })).end.result).toMatchObject({
      status: 'success',
    })
  })

  it('a run whose execution was stopped does not block the next, and saves nothing any more', async () => {
    await createConfig(root())
    const [stopped, next] = [newExecution(), newExecution()]
    const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
    await extraction.advance('begin', stopped, input)
    extraction.running.add(next)
    await extraction.advance('begin', next, input)
    await expect(extraction.advance('leg', stopped, input)).rejects.toThrow('Another run')
    expect((await extraction.run(configId, { execution: next })).end.result).toMatchObject({
      status: 'success',
    })
  })
})
