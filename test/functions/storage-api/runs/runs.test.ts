import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute))
const inputOf = (configId: string, trigger?: string) =>
  JSON.stringify({ componentId: 'ex-generic-v2', configId, ...(trigger && { trigger }) })

/** Newest first. */
const executions = [
  { name: 'r4', status: 'RUNNING', input: inputOf('shop'), startDate: at(4) },
  {
    name: 'r3',
    status: 'FAILED',
    input: inputOf('crm', 'schedule nightly'),
    startDate: at(3),
    stopDate: at(4),
    error: 'extractor.http',
    cause: 'The API answered 403.',
  },
  {
    name: 'r2',
    status: 'SUCCEEDED',
    input: inputOf('shop', 'job 12'),
    output: JSON.stringify({ status: 'success', rowsLoaded: 7, requests: 2, rows: [] }),
    startDate: at(2),
    stopDate: new Date(at(2).getTime() + 1_500),
  },
  { name: 'r1', status: 'ABORTED', input: '"nonsense"', startDate: at(1), stopDate: at(2) },
] as const

/** Names of the runs that Step Functions was asked about. */
const asked: string[] = []
const service = await withStorage({
  describeRun: async name => {
    asked.push(name)
    return executions.find(run => run.name === name)
  },
})
for (const run of executions)
  await (run.status === 'RUNNING' ? service.stores.runs.begin(run) : service.stores.runs.end(run))

const idsOf = async (query: string, headers?: Record<string, string>): Promise<string[]> =>
  (await service.call('GET', `/v2/storage/runs${query}`, undefined, headers)).body.map(
    ({ id }: { id: string }) => id,
  )

describe('runs of configurations', () => {
  it('are listed newest first, by status and configuration, in pages', async () => {
    expect(await idsOf('')).toEqual(['r4', 'r3', 'r2', 'r1'])
    expect(await idsOf('?status=error')).toEqual(['r3', 'r1'])
    expect(await idsOf('?configId=shop')).toEqual(['r4', 'r2'])
    expect(await idsOf('?limit=2&offset=1')).toEqual(['r3', 'r2'])
    expect(await idsOf('?componentId=ex-generic-v2&configId=shop&status=success')).toEqual(['r2'])
  })

  it('are listed and read without a question to Step Functions, but for the one that has not ended', async () => {
    asked.length = 0
    await idsOf('')
    await idsOf('?componentId=ex-generic-v2&configId=shop')
    await service.call('GET', '/v2/storage/runs/r2')
    expect(asked).toEqual([])
    await service.call('GET', '/v2/storage/runs/r4')
    expect(asked).toEqual(['r4'])
  })

  it('say what they did', async () => {
    expect((await service.call('GET', '/v2/storage/runs/r2')).body).toMatchObject({
      componentId: 'ex-generic-v2',
      configId: 'shop',
      trigger: 'job 12',
      status: 'success',
      durationSeconds: 1.5,
      rowsLoaded: 7,
      requests: 2,
      error: null,
    })
  })

  it('say why they failed, also when they were stopped by hand', async () => {
    const errorOf = async (id: string) => (await service.call('GET', `/v2/storage/runs/${id}`)).body.error
    expect(await errorOf('r3')).toEqual({ code: 'extractor.http', message: 'The API answered 403.' })
    expect(await errorOf('r1')).toEqual({
      code: 'extraction.aborted',
      message: 'The run was stopped before its end.',
    })
  })

  it.each(['none', 'a%3Ab'])('%s is not found', async id => {
    const { status, body } = await service.call('GET', `/v2/storage/runs/${id}`)
    expect([status, body.code]).toEqual([404, 'storage.runs.notFound'])
  })

  it('say how far they are while they are under way, to who may use the component', async () => {
    const place = { row: 2, rowsCount: 3, rowName: 'orders', leg: 1 }
    const progress = { ...place, pages: 13, rows: 1_300, retries: 1, requests: 14, waitedSeconds: 2 }
    const note = (id: string, body: object, headers?: Record<string, string>) =>
      service.call('PUT', `/v2/storage/runs/${id}/progress`, body, headers)
    const read = async (id: string) => (await service.call('GET', `/v2/storage/runs/${id}`)).body.progress
    expect(await read('r4')).toBeNull()
    expect((await note('r4', progress)).status).toBe(204)
    expect(await read('r4')).toEqual({ ...progress, at: expect.any(String) })
    expect((await note('r4', progress)).status).toBe(204)
    expect(await read('r4')).toMatchObject({ requests: 14 })
    expect((await note('r4', { ...progress, pages: -1 })).status).toBe(400)
    for (const gone of ['r2', 'none', 'a%3Ab']) expect((await note(gone, progress)).status).toBe(404)
    expect(await read('r2')).toBeNull()
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
    const { componentId } = (await service.call('GET', '/v2/storage/runs/r4')).body
    const note = async (token: object) => {
      const { body } = await service.call('POST', '/v2/storage/tokens', token)
      return service.call(
        'PUT',
        '/v2/storage/runs/r4/progress',
        { ...progress, waitedSeconds: 0 },
        { 'X-StorageApi-Token': body.token },
      )
    }
    const ofComponent = { componentAccess: [componentId] }
    const statuses = [
      await note({ ...ofComponent, description: `Run r4 of ${componentId}/7 for somebody` }),
      await note({ ...ofComponent, description: 'of a person' }),
      await note({ ...ofComponent, description: `Run r40 of ${componentId}/7` }),
      await note({ canManageBuckets: true, description: 'r4' }),
      await note({ componentAccess: ['other'], description: `Run r4 of ${componentId}/7` }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([204, 403, 403, 403, 403])
  })

  it('are seen by tokens that may use the component', async () => {
    const token = async (componentAccess: string[]) =>
      (await service.call('POST', '/v2/storage/tokens', { description: 't', componentAccess })).body.token
    const may = { 'X-StorageApi-Token': await token(['ex-generic-v2']) }
    const mayNot = { 'X-StorageApi-Token': await token(['other']) }
    expect(await idsOf('', may)).toEqual(['r4', 'r3', 'r2'])
    expect(await idsOf('', mayNot)).toEqual([])
    expect((await service.call('GET', '/v2/storage/runs/r2', undefined, mayNot)).status).toBe(403)
  })
})
