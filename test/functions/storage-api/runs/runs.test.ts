import { describe, expect, it } from 'vitest'
import { recordReads } from '#support/recorded-reads.ts'
import { withStorage } from '#support/storage-service.ts'
import { storeRun } from '#support/store-run.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute))

/** Partitions that were read, each as often as it was. */
const read: string[] = []
const stopped: number[] = []
const service = await withStorage({
  stopRun: async id => void stopped.push(id),
  items: items => recordReads(items, read),
})
const { stores } = service
/** Oldest first. */
const r1 = `run-${await storeRun(stores, { componentId: 'other', configId: 'a', status: 'error', startTime: at(1) })}`
const results = { status: 'success', rowsLoaded: 7, requests: 2, rows: [] }
const r2 = `run-${await storeRun(stores, { configId: 'shop', results, startTime: at(2), endTime: new Date(at(2).getTime() + 1_500) })}`
const error = { code: 'extractor.http', message: 'The API answered 403.' }
const r3 = `run-${await storeRun(stores, { configId: 'crm', trigger: 'schedule nightly', status: 'error', error, startTime: at(3) })}`
const r4 = `run-${await storeRun(stores, { configId: 'shop', status: 'processing', startTime: at(4) })}`

const idsOf = async (query: string, headers?: Record<string, string>): Promise<string[]> =>
  (await service.call('GET', `/v2/storage/runs${query}`, undefined, headers)).body.map(
    ({ id }: { id: string }) => id,
  )

describe('runs of configurations', () => {
  it('are listed newest first, by status and configuration, in pages', async () => {
    expect(await idsOf('')).toEqual([r4, r3, r2, r1])
    expect(await idsOf('?status=error')).toEqual([r3, r1])
    expect(await idsOf('?configId=shop')).toEqual([r4, r2])
    expect(await idsOf('?limit=2&offset=1')).toEqual([r3, r2])
    expect(await idsOf('?componentId=ex-generic-v2&configId=shop&status=success')).toEqual([r2])
  })

  it('cost a page what it shows, however many other jobs there are', async () => {
    const bucketId = await service.createBucket('imports')
    const tableId = await service.createTable(bucketId, 't', 'id\n1\n')
    for (let count = 0; count < 5; count++)
      await service.call('POST', `/v2/storage/tables/${tableId}/export-async`)
    for (const [query, list] of [
      ['', /^RUNS$/],
      ['?componentId=ex-generic-v2&configId=shop', /^RUNS\/\w+$/],
    ] as const) {
      read.length = 0
      const ids = await idsOf(query)
      expect(read.filter(pk => list.test(pk))).toHaveLength(1)
      expect(read.filter(pk => pk.startsWith('JOBS#'))).toHaveLength(ids.length)
    }
  })

  it('of one configuration come one after the other, and say that they wait', async () => {
    const waits = `run-${await storeRun(stores, { configId: 'shop', status: 'waiting' })}`
    expect(await idsOf('?status=waiting')).toEqual([waits])
    expect((await service.call('GET', `/v2/storage/runs/${waits}`)).body).toMatchObject({
      status: 'waiting',
      startTime: null,
      durationSeconds: null,
    })
    expect((await service.call('POST', `/v2/storage/runs/${waits}/cancel`)).body).toMatchObject({
      status: 'error',
      error: { code: 'storage.jobs.cancelled' },
    })
  })

  it('say what they did', async () => {
    expect((await service.call('GET', `/v2/storage/runs/${r2}`)).body).toMatchObject({
      componentId: 'ex-generic-v2',
      configId: 'shop',
      trigger: r2.replace('run-', 'job '),
      status: 'success',
      durationSeconds: 1.5,
      rowsLoaded: 7,
      requests: 2,
      error: null,
    })
  })

  it('say why they failed', async () => {
    expect((await service.call('GET', `/v2/storage/runs/${r3}`)).body.error).toEqual(error)
  })

  it.each(['none', 'a%3Ab', 'run-1', 'run-99999999999999999999'])('%s is not found', async id => {
    const { status, body } = await service.call('GET', `/v2/storage/runs/${id}`)
    expect([status, body.code]).toEqual([404, 'storage.runs.notFound'])
  })

  it('say how far they are while they are under way, to who may use the component', async () => {
    const place = { row: 2, rowsCount: 3, rowName: 'orders', leg: 1 }
    const progress = { ...place, pages: 13, rows: 1_300, retries: 1, requests: 14, waitedSeconds: 2 }
    const note = (id: string, body: object, headers?: Record<string, string>) =>
      service.call('PUT', `/v2/storage/runs/${id}/progress`, body, headers)
    const read = async (id: string) => (await service.call('GET', `/v2/storage/runs/${id}`)).body.progress
    expect(await read(r4)).toBeNull()
    expect((await note(r4, progress)).status).toBe(204)
    expect(await read(r4)).toEqual({ ...progress, at: expect.any(String) })
    expect((await note(r4, { ...progress, requests: 15 })).status).toBe(204)
    expect(await read(r4)).toMatchObject({ requests: 15 })
    expect((await note(r4, { ...progress, pages: -1 })).status).toBe(400)
    for (const gone of [r2, 'none', 'a%3Ab']) expect((await note(gone, progress)).status).toBe(404)
    expect(await read(r2)).toBeNull()
  })

  it('rule 9: are not stopped between their first load and their saved state, and load nothing after they were cancelled', async () => {
    const begun = async (configId: string) => {
      const id = await storeRun(stores, { configId, status: 'processing' })
      const call = async (method: string, path: string, body?: object) => {
        const { status, body: answer } = await service.call(method, `/v2/storage/runs/run-${id}${path}`, body)
        return [status, answer?.code ?? answer?.status]
      }
      const note = (isLoading: boolean) => call('PUT', '/progress', { isLoading })
      return { id, note, cancel: () => call('POST', '/cancel') }
    }
    const first = await begun('loads')
    expect(await first.note(true)).toEqual([204, undefined])
    expect(await first.cancel()).toEqual([202, 'processing'])
    expect(stopped).not.toContain(first.id)
    // The state of its row is saved: the next row loads nothing.
    expect(await first.note(false)).toEqual([204, undefined])
    expect(await first.note(true)).toEqual([400, 'storage.jobs.cancelled'])
    const other = await begun('reads')
    expect(await other.cancel()).toEqual([202, 'error'])
    expect(stopped).toContain(other.id)
    expect(await other.note(true)).toEqual([409, 'storage.jobs.ended'])
    expect((await service.call('PUT', `/v2/storage/runs/${r4}/progress`, { rows: 1 })).status).toBe(400)
  })

  it('are told how far they are by their own token alone, not by another of the component', async () => {
    const progress = {
      row: 1,
      rowsCount: 1,
      rowName: 'a',
      leg: 1,
      pages: 1,
      rows: 1,
      retries: 0,
      requests: 1,
    }
    const { componentId } = (await service.call('GET', `/v2/storage/runs/${r4}`)).body
    const note = async (token: object) => {
      const { body } = await service.call('POST', '/v2/storage/tokens', token)
      return service.call(
        'PUT',
        `/v2/storage/runs/${r4}/progress`,
        { ...progress, waitedSeconds: 0 },
        { 'X-StorageApi-Token': body.token },
      )
    }
    const ofComponent = { componentAccess: [componentId] }
    const statuses = [
      await note({ ...ofComponent, description: `Run ${r4} of ${componentId}/7 for somebody` }),
      await note({ ...ofComponent, description: 'of a person' }),
      await note({ ...ofComponent, description: `Run ${r4}0 of ${componentId}/7` }),
      await note({ canManageBuckets: true, description: r4 }),
      await note({ componentAccess: ['other'], description: `Run ${r4} of ${componentId}/7` }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([204, 403, 403, 403, 403])
  })

  it('are seen by tokens that may use the component', async () => {
    const token = async (componentAccess: string[]) =>
      (await service.call('POST', '/v2/storage/tokens', { description: 't', componentAccess })).body.token
    const may = { 'X-StorageApi-Token': await token(['ex-generic-v2']) }
    const mayNot = { 'X-StorageApi-Token': await token(['other']) }
    expect((await idsOf('', may)).slice(-3)).toEqual([r4, r3, r2])
    expect(await idsOf('', mayNot)).toEqual([r1])
    expect((await service.call('GET', `/v2/storage/runs/${r2}`, undefined, mayNot)).status).toBe(403)
  })
})

describe('runs of configurations begin and end by the word of their execution', async () => {
  const stopped: number[] = []
  const stopRun = async (id: number) => void stopped.push(id)
  const { call, startedJobs, stores } = await withStorage({ isRunningJobs: false, stopRun })
  const place = { configId: 'shop', status: 'waiting' } as const
  const tell = async (id: number, body: object, headers?: Record<string, string>) => {
    const reply = await call('PUT', `/v2/storage/runs/run-${id}/progress`, body, headers)
    return reply.body?.code ?? reply.status
  }
  const begin = (id: number) => tell(id, { state: { status: 'processing' } })
  const results = { rowsLoaded: 5, requests: 1 }
  const success = { state: { status: 'success', results } }
  const read = async (id: number) => (await call('GET', `/v2/storage/runs/run-${id}`)).body

  it('which may repeat it; then the next one of the configuration is started', async () => {
    const [first, second] = [await storeRun(stores, place), await storeRun(stores, place)]
    expect([await begin(first), await begin(first), await begin(second)]).toEqual([
      204,
      204,
      'storage.runs.underWay',
    ])
    const error = { code: 'extractor.http', message: 'row 1: no' }
    expect(startedJobs).toEqual([])
    expect(await tell(first, { state: { status: 'error', ...error } })).toBe(204)
    expect(await tell(first, success)).toBe('storage.jobs.ended')
    expect(await read(first)).toMatchObject({ status: 'error', error })
    expect(startedJobs).toEqual([second])
    await begin(second)
    const { body } = await call('POST', '/v2/storage/tokens', {
      description: `Run run-${second} of ex-generic-v2/shop for a`,
      componentAccess: ['ex-generic-v2'],
    })
    expect(await tell(second, success, { 'X-StorageApi-Token': body.token })).toBe('accessDenied')
    expect(await tell(second, success)).toBe(204)
    expect(await read(second)).toMatchObject({ status: 'success', results, rowsLoaded: 5 })
  })

  it('rule 9: and stop once their rows are loaded, or before they begin, when somebody has asked for their end', async () => {
    const unwanted = await storeRun(stores, place)
    await stores.jobs.wishEnd(unwanted, 'somebody', [])
    await begin(unwanted)
    const loading = await storeRun(stores, { ...place, status: 'processing' })
    await stores.jobs.noteLoading(loading, true)
    await call('POST', `/v2/storage/runs/run-${loading}/cancel`)
    expect(stopped).toEqual([unwanted])
    const counts = { leg: 1, pages: 1, rows: 1, retries: 0, requests: 1, waitedSeconds: 0 }
    await tell(loading, { row: 2, rowsCount: 2, rowName: 'next', ...counts })
    expect(stopped).toEqual([unwanted, loading])
    for (const id of stopped) expect((await read(id)).error.code).toBe('storage.jobs.cancelled')
  })
})
