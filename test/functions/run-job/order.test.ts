import { describe, expect, it } from 'vitest'
import { startOpenJobs } from '#functions/tick/open-jobs.ts'
import { startJobsByHand } from '../../support/jobs-by-hand.ts'

const { service, clock, newName, run, execute, submitCreate, submitImport, jobOf, createTable, rowsOf } =
  await startJobsByHand()

describe('the jobs of one table', () => {
  it('run one after the other: a later one is blocked until the earlier is done', async () => {
    const tableId = await createTable()
    const first = await submitImport(tableId, 'n\n1\n')
    const second = await submitImport(tableId, 'n\n2\n')
    expect(await run(second)).toEqual({ status: 'blocked', waitSeconds: 1 })
    expect((await jobOf(second)).status).toBe('waiting')
    expect(await run(first)).toEqual({ status: 'done', alsoEnded: [`job-${second}`] })
    expect(await run(second)).toEqual({ status: 'done' })
    expect(await rowsOf(tableId)).toEqual(['"0"', '"1"', '"2"'])
  })

  it('do not wait for those of another table', async () => {
    const [a, b] = [await createTable(), await createTable()]
    await submitImport(a, 'n\n1\n')
    expect(await run(await submitImport(b, 'n\n1\n'))).toEqual({ status: 'done' })
  })

  it('wait longer the older they are, ten seconds at first, later a hundredth of their age', async () => {
    const tableId = await createTable()
    await submitImport(tableId, 'n\n1\n')
    const second = await submitImport(tableId, 'n\n2\n')
    const waits: unknown[] = []
    const start = clock.time
    for (const seconds of [0, 15, 45, 3_600]) {
      clock.time = new Date(start.getTime() + seconds * 1000)
      waits.push(await run(second))
    }
    clock.time = start
    expect(waits).toEqual([1, 2, 5, 36].map(waitSeconds => ({ status: 'blocked', waitSeconds })))
  })

  it('wait for the one before, which the clock starts if nobody did', async () => {
    const tableId = await createTable()
    const first = await submitImport(tableId, 'n\n1\n')
    const second = await submitImport(tableId, 'n\n2\n')
    service.startedJobs.length = 0
    expect(await run(second)).toMatchObject({ status: 'blocked' })
    expect(service.startedJobs).toEqual([])
    await startOpenJobs(service.jobServices)
    expect(service.startedJobs).toContain(first)
    expect(service.startedJobs).not.toContain(second)
  })

  it('run when the one before has ended without a result, which the clock closes', async () => {
    const tableId = await createTable()
    const first = await submitImport(tableId, 'n\n1\n')
    const second = await submitImport(tableId, 'n\n2\n')
    await startOpenJobs({ ...service.jobServices, startJob: async () => 'ended' })
    expect((await jobOf(first)).error).toMatchObject({
      code: 'internalError',
      exceptionId: expect.stringMatching(/^millrace-/),
    })
    expect(await run(second)).toEqual({ status: 'done' })
    expect(await rowsOf(tableId)).toEqual(['"0"', '"2"'])
  })

  it('load once when one job is run twice at the same time', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    await Promise.all([run(jobId), run(jobId), run(jobId)])
    expect((await jobOf(jobId)).results).toMatchObject({ totalRowsCount: 2 })
    expect(await rowsOf(tableId)).toEqual(['"0"', '"1"'])
  })

  it('that create one table leave it to the first', async () => {
    const name = newName()
    const first = await submitCreate(name, 'n\n1\n')
    const second = await submitCreate(name, 'n\n2\n')
    await Promise.all([execute(second), execute(first)])
    expect((await jobOf(first)).status).toBe('success')
    expect(await jobOf(second)).toMatchObject({
      status: 'error',
      error: { code: 'storage.buckets.tableAlreadyExists' },
    })
  })
})
