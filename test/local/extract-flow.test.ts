import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { callerOf } from '#support/cloud-clients.ts'
import { eventually } from '#support/eventually.ts'
import { startCloud } from '#support/start-cloud.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { startApi } from '../functions/lib/extractor/api-server.ts'
import { keptLetters } from '../support/dead-letter.ts'
import { runMillrace } from '../support/millrace.ts'
import { hasEnded, poll } from '../support/poll.ts'

const dataDir = folderUntilEnd()
/** Parameters of the requests for customers, in the order in which they came. */
const asked: URLSearchParams[] = []

const cloud = await untilEnd(startCloud({ dataDir }))
const shop = await untilEnd(
  startApi(({ path, query, headers }, response) => {
    if (headers.authorization !== `Basic ${btoa('me:open sesame')}`) {
      response.statusCode = 403
      return { error: `no entry with ${headers.authorization}` }
    }
    if (path === '/orders') return [{ order: `of ${query.get('customer')}` }]
    asked.push(query)
    const offset = Number(query.get('offset'))
    return Array.from({ length: Math.min(2, 5 - offset) }, (_, index) => ({ id: offset + index + 1 }))
  }),
)

const api = callerOf(() => cloud)

const CONFIGS = 'components/ex-generic-v2/configs'

const root = (password: string) => ({
  parameters: {
    api: {
      baseUrl: `${shop.origin}/`,
      authentication: { type: 'basic' },
      pagination: { method: 'offset', limit: 2 },
    },
    config: {
      username: 'me',
      '#password': password,
      outputBucket: 'shop',
      jobs: [{ endpoint: 'customers' }],
    },
  },
})

const runJob = async (configId: string) => {
  const { id } = await api('POST', `${CONFIGS}/${configId}/run`)
  return poll(() => api('GET', `jobs/${id}`), hasEnded)
}

it('two rows run: secrets are sealed, the second reads the table of the first, states are saved', async () => {
  await api('POST', CONFIGS, { configurationId: 'shop', name: 'Shop', configuration: root('open sesame') })
  await api('POST', `${CONFIGS}/shop/rows`, { rowId: '1', name: 'customers', configuration: {} })
  await api('POST', `${CONFIGS}/shop/rows`, {
    rowId: '2',
    name: 'orders',
    configuration: {
      storage: { input: { tables: [{ source: 'in.c-shop.customers', destination: 'customers.csv' }] } },
      parameters: {
        iterations: { table: 'customers.csv' },
        config: { jobs: [{ endpoint: 'orders', params: { customer: { attr: 'id' } } }] },
      },
    },
  })
  const job = await runJob('shop')
  expect(job).toMatchObject({
    status: 'success',
    results: {
      rowsLoaded: 10,
      rows: [
        { id: '1', rowsLoaded: 5 },
        { id: '2', rowsLoaded: 5 },
      ],
    },
  })
  expect((await api('GET', 'tables/in.c-shop.orders')).rowsCount).toBe(5)
  const stored = await api('GET', `${CONFIGS}/shop`)
  expect(JSON.stringify(stored)).not.toContain('open sesame')
  for (const { state } of stored.rows) expect(state.time.previousStart).toBeGreaterThan(0)
  const listed = await poll(
    () => api('GET', 'runs?componentId=ex-generic-v2&configId=shop'),
    ([run]) => run !== undefined && hasEnded(run),
  )
  expect(listed).toMatchObject([{ id: `run-${job.id}`, status: 'success', rowsLoaded: 10 }])
})

it('a rollback restores the old behaviour, and an empty state makes a first run', async () => {
  const path = `${CONFIGS}/history`
  const coloured = (color: string) => {
    const configuration = root('open sesame')
    const params = { color, since: { time: 'previousStart' } }
    const jobs = [{ endpoint: 'customers', primaryKey: ['id'], params }]
    const config = { ...configuration.parameters.config, outputBucket: 'history', jobs }
    return { parameters: { ...configuration.parameters, config } }
  }
  const run = async () => {
    asked.length = 0
    expect((await runJob('history')).status).toBe('success')
    return { color: asked[0]?.get('color'), isFirst: asked[0]?.get('since') === '0' }
  }

  await api('POST', CONFIGS, { configurationId: 'history', name: 'History', configuration: coloured('red') })
  expect(await run()).toEqual({ color: 'red', isFirst: true })
  await api('PUT', path, { configuration: coloured('blue') })
  expect(await run()).toEqual({ color: 'blue', isFirst: false })
  await api('POST', `${path}/versions/1/rollback`)
  expect(await run()).toEqual({ color: 'red', isFirst: false })
  await api('PUT', `${path}/state`, { state: {} })
  expect(await run()).toEqual({ color: 'red', isFirst: true })
})

it('a run that fails leaves a dead letter and an event that name what failed, and no secret', async () => {
  await api('POST', CONFIGS, { configurationId: 'closed', name: 'Closed', configuration: root('wrong word') })
  const ended = await cloud.execute('extract', { componentId: 'ex-generic-v2', configId: 'closed' })
  expect(ended).toMatchObject({ status: 'FAILED', error: 'extractor.response.status' })
  expect(ended).toMatchObject({
    cause: expect.stringMatching(/^\{"errorMessage":"job 0, GET customers: .*\[403\]/),
  })
  const letters = await eventually(async () => {
    const found = await keptLetters(cloud, 'extract')
    expect(found).not.toEqual([])
    return found
  })
  expect(letters[0]).toMatchObject({
    input: { componentId: 'ex-generic-v2', configId: 'closed' },
    failure: { code: 'extractor.response.status', message: expect.stringMatching(/^job 0, GET customers: /) },
    details: { rows: [{ error: { job: '0', request: 'GET customers' } }] },
  })
  const events = await api('GET', 'events?configurationId=closed')
  expect(events[0]).toMatchObject({ type: 'error' })
  for (const secret of ['wrong word', btoa('me:wrong word')])
    expect(JSON.stringify([ended, letters, events])).not.toContain(secret)
})

it('a run that is cancelled stops at its next page, loads nothing, and leaves no dead letter', async () => {
  let answers = 0
  const endless = await startApi(async () => {
    await sleep(200)
    return [{ id: ++answers }]
  })
  try {
    const configuration = {
      parameters: {
        api: { baseUrl: endless.origin, pagination: { method: 'offset', limit: 1 } },
        config: { outputBucket: 'endless', jobs: [{ endpoint: 'rows' }] },
      },
    }
    await api('POST', CONFIGS, { configurationId: 'endless', name: 'Endless', configuration })
    const letters = (await api('GET', 'dead-letters')).length
    const { id } = await api('POST', `${CONFIGS}/endless/run`)
    await poll(
      async () => answers,
      count => count > 1,
    )
    const cancelled = { status: 'error', error: { code: 'storage.jobs.cancelled' } }
    const environment = { MILLRACE_DATA_DIR: dataDir }
    const { stdout } = await runMillrace(['runs', 'cancel', `run-${id}`], { environment })
    expect(stdout).toBe('Cancelled.\n')
    expect(await api('POST', `runs/run-${id}/cancel`)).toMatchObject(cancelled)
    expect(await poll(() => api('GET', `jobs/${id}`), hasEnded)).toMatchObject(cancelled)
    const kill = await fetch(`${cloud.api}/queue/jobs/${id}`, {
      headers: { 'X-StorageApi-Token': cloud.token },
    })
    expect(await kill.json()).toMatchObject({ status: 'terminated', isFinished: true })
    // Its leg stops by itself: no more answers are asked for.
    let before = -1
    await poll(
      async () => {
        await sleep(1_000)
        const isQuiet = answers === before
        before = answers
        return isQuiet
      },
      isQuiet => isQuiet,
    )
    expect((await api('GET', 'dead-letters')).length).toBe(letters)
    const tables = await api('GET', 'tables')
    expect(tables.map((table: { id: string }) => table.id)).not.toContain('in.c-endless.rows')
  } finally {
    await endless.close()
  }
})

it('a configuration that is not there fails by name', async () => {
  const ended = await cloud.execute('extract', { componentId: 'ex-generic-v2', configId: 'nothing' })
  expect(ended).toMatchObject({ status: 'FAILED', error: 'notFound' })
  const events = await api('GET', 'events?configurationId=nothing')
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['error'])
})

it('private addresses are refused unless they are allowed', async () => {
  const configuration = root('x')
  configuration.parameters.api.baseUrl = 'http://169.254.169.254/latest/'
  await api('POST', CONFIGS, { configurationId: 'metadata', name: 'Metadata', configuration })
  const ended = await cloud.execute('extract', { componentId: 'ex-generic-v2', configId: 'metadata' })
  expect(ended).toMatchObject({ status: 'FAILED', error: 'extractor.address.forbidden' })
})
