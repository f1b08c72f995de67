import { afterEach, describe, expect, it } from 'vitest'
import { executeJob } from '#support/execute-job.ts'
import {
  type StorageService,
  type StorageServiceOptions,
  startStorageService,
} from '#support/storage-service.ts'

const open: StorageService[] = []
const start = async (options?: StorageServiceOptions): Promise<StorageService> => {
  const service = await startStorageService(options)
  open.push(service)
  return service
}
afterEach(() => Promise.all(open.splice(0).map(service => service.close())))

/** A service with a job that was accepted and that nobody runs. */
const withWaitingJob = async (options: StorageServiceOptions = {}) => {
  const service = await start({ isRunningJobs: false, jobWaitMs: 0, ...options })
  const bucketId = await service.createBucket('main')
  const dataFileId = await service.upload('a\n1\n')
  const { status, body: job } = await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, {
    name: 'a',
    dataFileId,
  })
  return { service, status, job }
}

describe('a job', () => {
  it('that is not done within the wait is answered as it is', async () => {
    const { service, status, job } = await withWaitingJob()
    expect(status).toBe(202)
    expect(job).toMatchObject({
      status: 'waiting',
      results: null,
      startTime: null,
      endTime: null,
      operationParams: expect.any(Object),
      metrics: { inBytes: 0 },
      // Nobody named a run, so it is one of its own.
      runId: String(job.id),
    })
    expect(job).not.toHaveProperty('error')
    expect(service.startedJobs).toEqual([job.id])
  })

  it('that finishes while a poll waits is answered finished', async () => {
    let duringPause = async (): Promise<void> => {}
    const { service, job } = await withWaitingJob({ jobWaitMs: 10, pause: () => duringPause() })
    expect(job.status).toBe('waiting')
    duringPause = () => executeJob(job.id, service.jobServices)
    const { body } = await service.call('GET', `/v2/storage/jobs/${job.id}`)
    expect(body).toMatchObject({
      status: 'success',
      results: { id: 'in.c-main.a' },
      endTime: expect.any(String),
    })
  })

  it('is accepted even when it cannot be started at once', async () => {
    const service = await start({
      isRunningJobs: false,
      jobWaitMs: 0,
      startJob: () => Promise.reject(new Error('no machine')),
    })
    const bucketId = await service.createBucket('main')
    const { status, body } = await service.call('DELETE', `/v2/storage/buckets/${bucketId}?async=1`)
    expect([status, body.status]).toEqual([202, 'waiting'])
  })

  it.each(['1', 'x', '9'.repeat(40)])('%s that is not there is 404', async id => {
    const service = await start()
    const { status, body } = await service.call('GET', `/v2/storage/jobs/${id}`)
    expect([status, body.code]).toEqual([404, 'storage.jobs.notFound'])
  })
})

describe('GET jobs', () => {
  it('lists jobs newest first, twenty by default', async () => {
    const service = await start()
    const ids: number[] = []
    for (let index = 0; index < 22; index++) {
      const fileId = await service.upload('a\n')
      ids.push((await service.call('DELETE', `/v2/storage/files/${fileId}?async=1`)).body.id)
    }
    const listed = async (query: string) =>
      (await service.call('GET', `/v2/storage/jobs?${query}`)).body.map((job: { id: number }) =>
        ids.indexOf(job.id),
      )
    expect(await listed('')).toEqual(
      ids
        .map((_, index) => index)
        .toReversed()
        .slice(0, 20),
    )
    expect(await listed('limit=2&offset=1')).toEqual([20, 19])
    expect(await listed(`maxId=${ids[2]}`)).toEqual([1, 0])
  })

  it('lists jobs of a status, an operation, a table and a run', async () => {
    const service = await start()
    const bucketId = await service.createBucket('main')
    const tableId = await service.createTable(bucketId, 'a', 'a\n1\n')
    const load = (content: string, headers = {}) =>
      service
        .upload(content)
        .then(dataFileId =>
          service.call('POST', `/v2/storage/tables/${tableId}/import-async`, { dataFileId }, headers),
        )
    const good = (await load('a\n2\n', { 'X-KBC-RunId': 'r1' })).body.id
    const bad = (await load('b\n2\n')).body.id
    const listed = async (query: string) =>
      (await service.call('GET', `/v2/storage/jobs?${query}`)).body.map((job: { id: number }) => job.id)
    expect(await listed('storage_job_status[]=error')).toEqual([bad])
    expect(await listed('operationName=tableImport')).toEqual([bad, good])
    expect(
      await listed(`tableId=${tableId}&storage_job_status[]=success&storage_job_status[]=error`),
    ).toEqual([bad, good])
    expect(await listed('runId=r1')).toEqual([good])
  })

  it.each(['limit=0', 'limit=x', 'storage_job_status=error'])('refuses %s', async query => {
    const service = await start()
    expect((await service.call('GET', `/v2/storage/jobs?${query}`)).status).toBe(400)
  })
})
