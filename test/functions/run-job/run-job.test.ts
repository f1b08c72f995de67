import { describe, expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { tablesAtOnce } from '#support/tables-at-once.ts'
import { startJobsByHand } from '../../support/jobs-by-hand.ts'

const { service, faults, newName, run, execute, submitImport, jobOf, createTable, rowsOf } =
  await startJobsByHand()

describe('a table that is deleted while a job is at work', () => {
  it('makes the job fail, and stays deleted', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    faults.duringLoad = async () => void (await service.call('DELETE', `/v2/storage/tables/${tableId}`))
    await run(jobId)
    faults.duringLoad = async () => {}
    expect(await jobOf(jobId)).toMatchObject({ status: 'error', error: { code: 'storage.tables.notFound' } })
    expect((await service.call('GET', `/v2/storage/tables/${tableId}`)).status).toBe(404)
  })

  it('and is created again has nothing of that job', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    const table = await service.stores.tables.get(tableId)
    if (!table) throw new Error('no table')
    faults.duringLoad = async () => {
      await tablesAtOnce(service.stores.tables).delete(table)
      await tablesAtOnce(service.stores.tables).insert({ ...table, internalId: table.internalId + 1 })
    }
    await run(jobId)
    faults.duringLoad = async () => {}
    expect((await jobOf(jobId)).error.code).toBe('storage.tables.notFound')
    expect(await rowsOf(tableId)).toEqual(['"0"'])
  })
})

describe('a bucket that is deleted while a table is created in it', () => {
  it('keeps no table', async () => {
    const id = await service.createBucket(newName())
    const dataFileId = await service.upload('n\n1\n')
    const { body: job } = await service.call('POST', `/v2/storage/buckets/${id}/tables-async`, {
      name: 'a',
      dataFileId,
    })
    faults.duringLoad = async () =>
      execute((await service.call('DELETE', `/v2/storage/buckets/${id}?async=1`)).body.id)
    await run(job.id)
    faults.duringLoad = async () => {}
    expect((await jobOf(job.id)).error.code).toBe('storage.buckets.notFound')
    expect(await service.stores.tables.listInBucket(id)).toEqual([])
  })
})

describe('a job that fails for good', () => {
  it('shows an id and not the cause, and does not block the next job', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    const next = await submitImport(tableId, 'n\n2\n')
    faults.duringLoad = () => Promise.reject(new Error('secret cause'))
    await expect(run(jobId)).rejects.toThrow('secret cause')
    faults.duringLoad = async () => {}
    expect(await run(next)).toMatchObject({ status: 'blocked' })

    const failure = { Error: 'Error', Cause: 'secret cause' }
    // For the dead letter alone, which operators read.
    const reported = { code: 'Error', message: 'secret cause' }
    expect(await runJob({ jobId, failure }, service.jobServices)).toEqual({
      status: 'done',
      failure: reported,
    })
    const job = await jobOf(jobId)
    expect(job).toMatchObject({
      status: 'error',
      error: { code: 'internalError', exceptionId: expect.stringMatching(/^millrace-/) },
    })
    expect(JSON.stringify(job)).not.toContain('secret cause')
    expect(service.logged.at(-1)).toMatchObject({ extra: { jobId, exceptionId: job.error.exceptionId } })
    expect(await run(next)).toEqual({ status: 'done' })
    expect(await rowsOf(tableId)).toEqual(['"0"', '"2"'])
  })

  it('has one event that says so, without the cause', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    const failure = { Error: 'Error', Cause: 'secret cause' }
    for (const _ of ['once', 'again']) await runJob({ jobId, failure }, service.jobServices)
    const q = encodeURIComponent(`event:storage.tableImportError AND objectId:"${tableId}"`)
    const { body: events } = await service.call('GET', `/v2/storage/events?q=${q}`)
    const { error } = await jobOf(jobId)
    expect(events).toMatchObject([
      { type: 'error', objectId: tableId, description: error.message, params: { jobId } },
    ])
    expect(JSON.stringify(events)).not.toContain('secret cause')
  })

  it('stays a success when its failure is reported too late', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    await run(jobId)
    await runJob({ jobId, failure: { Error: 'States.Timeout' } }, service.jobServices)
    expect((await jobOf(jobId)).status).toBe('success')
  })
})
