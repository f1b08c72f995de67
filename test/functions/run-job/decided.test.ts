import { describe, expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { startOpenJobs } from '#functions/tick/open-jobs.ts'
import { updateTable } from '#lib/storage/tables/update-table.ts'
import { Crash, startJobsByHand } from '../../support/jobs-by-hand.ts'

const { execute, service, clock, newName, run, jobOf, createTable, rowsOf, submitCreate, submitImport } =
  await startJobsByHand()

/** Services whose table store does something before it makes the head of the end of a job. */
const whileDeciding = (name: 'replacing' | 'inserting', act: () => Promise<unknown>) => {
  const { inBranch } = service.jobServices
  const acting: typeof inBranch = branchId => {
    const { tables, ...others } = inBranch(branchId)
    const slow: typeof tables.replacing = async (...given) => {
      const decision = await tables[name](...given)
      await act()
      return decision
    }
    return { ...others, tables: { ...tables, [name]: slow } }
  }
  return { ...service.jobServices, inBranch: acting }
}

describe('a head that is decided with the end of its job', () => {
  it('is built on a name that changes meanwhile, and the load is not repeated', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    let asked = 0
    const rename = async () => {
      if (asked++ === 0)
        await updateTable(tableId, { displayName: 'Renamed' }, { ...service.stores, projectId: 1 })
    }
    expect(await runJob({ jobId }, whileDeciding('replacing', rename))).toEqual({ status: 'done' })
    expect(asked).toBe(2)
    const { body: table } = await service.call('GET', `/v2/storage/tables/${tableId}`)
    expect([table.displayName, table.rowsCount]).toEqual(['Renamed', 2])
  })

  it('is not written once somebody has asked for the end of the job', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    const cancel = () => service.call('POST', `/v2/storage/jobs/${jobId}/cancel`, {})
    await runJob({ jobId }, whileDeciding('replacing', cancel))
    expect(await jobOf(jobId)).toMatchObject({ error: { code: 'storage.jobs.cancelled' } })
    expect(await rowsOf(tableId)).toEqual(['"0"'])
  })

  it('nor is a snapshot deleted then', async () => {
    const tableId = await createTable()
    const path = `/v2/storage/tables/${tableId}/snapshots`
    await execute((await service.call('POST', path, { description: 'kept' })).body.id)
    const [{ id }] = (await service.call('GET', path)).body
    const { body } = await service.call('DELETE', `/v2/storage/snapshots/${id}`)
    const { snapshots } = service.jobServices
    const deleting: typeof snapshots.deleting = async snapshotId => {
      await service.call('POST', `/v2/storage/jobs/${body.id}/cancel`, {})
      return snapshots.deleting(snapshotId)
    }
    await runJob({ jobId: body.id }, { ...service.jobServices, snapshots: { ...snapshots, deleting } })
    expect(await jobOf(body.id)).toMatchObject({ error: { code: 'storage.jobs.cancelled' } })
    expect((await service.call('GET', path)).body).toMatchObject([{ id, description: 'kept' }])
  })

  it('rule 5, emptiness is two decisions: no table is made in a bucket that goes meanwhile', async () => {
    const id = await service.createBucket('going')
    const dataFileId = await service.upload('n\n1\n')
    const path = `/v2/storage/buckets/${id}/tables-async`
    const { body } = await service.call('POST', path, { name: 'late', dataFileId })
    const remove = async () =>
      execute((await service.call('DELETE', `/v2/storage/buckets/${id}?async=1`)).body.id)
    await runJob({ jobId: body.id }, whileDeciding('inserting', remove))
    expect(await jobOf(body.id)).toMatchObject({ error: { code: 'storage.buckets.notFound' } })
    await service.createBucket('going')
    expect((await service.call('GET', `/v2/storage/buckets/${id}/tables`)).body).toEqual([])
  })
})

describe('rule 2, what was done can be finished', () => {
  /** A load that has taken a file along, whose process dies when it has decided. */
  const dieAfterDecision = async () => {
    const tableId = await createTable()
    const [first, second] = [await submitImport(tableId, 'n\n1\n'), await submitImport(tableId, 'n\n2\n')]
    let calls = 0
    const { jobs } = service.stores
    const getMany: typeof jobs.getMany = ids =>
      ++calls <= 2 ? jobs.getMany(ids) : Promise.reject(new Crash())
    const dying = { ...service.jobServices, jobs: { ...jobs, getMany } }
    await expect(runJob({ jobId: first }, dying)).rejects.toThrow(Crash)
    expect(await rowsOf(tableId)).toEqual(['"0"', '"1"', '"2"'])
    return { tableId, first, second }
  }

  it('by the clock, when nobody else comes', async () => {
    const { tableId, first, second } = await dieAfterDecision()
    const closed: number[] = []
    const startJob: typeof service.jobServices.startJob = async ({ id }, failure) => {
      if (failure) closed.push(id)
      return 'ended'
    }
    const start = clock.time
    clock.time = new Date(start.getTime() + 20 * 60_000)
    await startOpenJobs({ ...service.jobServices, startJob })
    clock.time = start
    expect(closed).toContain(first)
    await runJob({ jobId: first, failure: { Error: 'ExecutionGone' } }, service.jobServices)
    expect((await jobOf(second)).results).toMatchObject({ importedRowsCount: 1, totalRowsCount: 3 })
    expect(await rowsOf(tableId)).toEqual(['"0"', '"1"', '"2"'])
  })

  it('by the next job of the table, before it begins', async () => {
    const { tableId, second } = await dieAfterDecision()
    const next = await submitImport(tableId, 'n\n3\n')
    await run(next)
    await run(second)
    expect(await run(next)).toEqual({ status: 'done' })
    expect((await jobOf(second)).status).toBe('success')
    expect(await rowsOf(tableId)).toEqual(['"0"', '"1"', '"2"', '"3"'])
  })
})

it('rule 4, queue and lease belong to the name: the next job of a table that goes meanwhile gets its turn', async () => {
  const tableId = await createTable()
  const jobId = await submitImport(tableId, 'n\n1\n')
  const drop = () => service.call('DELETE', `/v2/storage/tables/${tableId}`)
  await runJob({ jobId }, whileDeciding('replacing', drop))
  expect(await jobOf(jobId)).toMatchObject({ error: { code: 'storage.tables.notFound' } })
  const again = await submitCreate(newName(), 'n\n5\n')
  expect(await run(again)).toEqual({ status: 'done' })
  expect(await service.stores.queue.lease(tableId)).toBeUndefined()
})
