import { describe, expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { startJobsByHand } from '../../support/jobs-by-hand.ts'

const { service, faults, newName, run, execute, submitCreate, submitImport, jobOf, createTable, rowsOf } =
  await startJobsByHand()

const cancel = (jobId: number, headers = {}) =>
  service.call('POST', `/v2/storage/jobs/${jobId}/cancel`, {}, headers)
const cancelled = { status: 'error', error: { code: 'storage.jobs.cancelled' } }

describe('a job that is cancelled', () => {
  it('before it has begun ends at once, and makes nothing', async () => {
    const jobId = await submitCreate(newName(), 'n\n1\n')
    const { status, body } = await cancel(jobId)
    expect(status).toBe(202)
    expect(body).toMatchObject({ ...cancelled, startTime: null })
    expect(body.error.message).toMatch(/^Cancelled by the token /)
    await execute(jobId)
    expect(await jobOf(jobId)).toMatchObject(cancelled)
    expect((await service.call('GET', '/v2/storage/tables')).body).toEqual([])
  })

  it('twice stays as it is, with one event that says who asked', async () => {
    const jobId = await submitCreate(newName(), 'n\n1\n')
    const [{ body: first }, { body: second }] = [await cancel(jobId), await cancel(jobId)]
    expect(second).toEqual(first)
    const { body: events } = await service.call('GET', '/v2/storage/events?limit=100')
    const ofJob = events.filter((event: { event: string; objectId: string }) => event.objectId === `${jobId}`)
    expect(ofJob).toMatchObject([{ event: 'storage.jobCancelled', token: { id: 42 } }])
  })

  it('while it loads leaves the table as it was, and the next one goes on', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    const next = await submitImport(tableId, 'n\n2\n')
    faults.duringLoad = async () => void (await cancel(jobId))
    await run(jobId)
    faults.duringLoad = async () => {}
    expect(await jobOf(jobId)).toMatchObject({ ...cancelled, startTime: expect.any(String) })
    await execute(next)
    expect(await rowsOf(tableId)).not.toContain('"1"')
    expect(await rowsOf(tableId)).toContain('"2"')
  })

  it('while DuckDB works for long interrupts it', async () => {
    const jobId = await submitCreate(newName(), 'n\n1\n')
    const engine = await service.jobServices.tableEngine()
    const begun = Promise.withResolvers<void>()
    const endless: typeof engine = {
      ...engine,
      until: signal => ({
        ...engine,
        load: () => {
          begun.resolve()
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
      }),
    }
    const running = runJob({ jobId }, { ...service.jobServices, tableEngine: async () => endless })
    await begun.promise
    await cancel(jobId)
    expect(await running).toMatchObject({ status: 'done' })
    expect(await jobOf(jobId)).toMatchObject(cancelled)
  })

  it('while it waits behind a load is not taken along by it', async () => {
    const tableId = await createTable()
    const first = await submitImport(tableId, 'n\n1\n')
    const behind = await submitImport(tableId, 'n\n2\n')
    await cancel(behind)
    await execute(first)
    await execute(behind)
    expect(await jobOf(first)).toMatchObject({ status: 'success' })
    expect(await jobOf(behind)).toMatchObject(cancelled)
    expect(await rowsOf(tableId)).not.toContain('"2"')
  })

  it('after its head has moved has come too late, and says so', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    await execute(jobId)
    const { status, body } = await cancel(jobId)
    expect([status, body.code]).toEqual([409, 'storage.jobs.ended'])
    expect(await rowsOf(tableId)).toContain('"1"')
  })

  it('is cancelled by nobody who may not see it', async () => {
    const { body } = await service.call('POST', '/v2/storage/tokens', { description: 'narrow' })
    const jobId = await submitCreate(newName(), 'n\n1\n')
    const { status } = await cancel(jobId, { 'X-StorageApi-Token': body.token })
    expect(status).toBe(403)
    expect(await jobOf(jobId)).toMatchObject({ status: 'waiting' })
    expect((await cancel(12)).status).toBe(404)
  })
})
