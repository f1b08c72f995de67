import { describe, expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { startOpenJobs } from '#functions/tick/open-jobs.ts'
import { reviveJob } from '#lib/storage/jobs/start-next.ts'
import { eventually } from '../../support/eventually.ts'
import { Crash, startJobsByHand } from '../../support/jobs-by-hand.ts'
import { startLanding } from '../../support/landing.ts'
import { stride } from '../../support/thorough.ts'

const byHand = await startJobsByHand()
const { service, bucketId, clock, faults, newName, run, execute, jobOf, createTable, rowsOf } = byHand
const { submitCreate, submitImport } = byHand

const failure = { Error: 'Runtime.ExitError', Cause: 'killed' }
const giveUp = (jobId: number) => runJob({ jobId, failure }, service.jobServices)

const post = async (path: string, body: object): Promise<number> =>
  (await service.call('POST', path, body)).body.id

const columnsOf = async (tableId: string): Promise<string[]> =>
  (await service.call('GET', `/v2/storage/tables/${tableId}`)).body.columns

/** A job, and how many times the service shows its work. */
interface Submitted {
  jobId: number
  timesDone: () => Promise<number>
}

const kinds: Record<string, () => Promise<Submitted>> = {
  'a load': async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    return { jobId, timesDone: async () => (await rowsOf(tableId)).filter(row => row === '"1"').length }
  },
  'a creation': async () => {
    const name = newName()
    const jobId = await submitCreate(name, 'n\n1\n')
    const timesDone = async () => {
      const { body } = await service.call('GET', `/v2/storage/buckets/${bucketId}/tables`)
      return body.filter((table: { name: string; rowsCount: number }) => table.name === name).length
    }
    return { jobId, timesDone }
  },
  'a new column': async () => {
    const tableId = await createTable()
    const jobId = await post(`/v2/storage/tables/${tableId}/columns?async=1`, { name: 'm' })
    return { jobId, timesDone: async () => (await columnsOf(tableId)).filter(name => name === 'm').length }
  },
  'a swap': async () => {
    const [one, other] = [await createTable(), await createTable()]
    await execute(await submitImport(other, 'n\n1\n'))
    const jobId = await post(`/v2/storage/tables/${other}/swap`, { targetTableId: one })
    const timesDone = async () => {
      const rows = [await rowsOf(one), await rowsOf(other)]
      // Nothing is lost, and no table is half of the other.
      expect(rows.map(({ length }) => length).toSorted()).toEqual([1, 2])
      return rows[0]?.length === 2 ? 1 : 0
    }
    return { jobId, timesDone }
  },
  'an export': async () => {
    const tableId = await createTable()
    await execute(await submitImport(tableId, 'n\n1\n'))
    const jobId = await post(`/v2/storage/tables/${tableId}/export-async`, {})
    const timesDone = async () => {
      const { body } = await service.call('GET', '/v2/storage/files?limit=200')
      const name = `${tableId.slice(tableId.lastIndexOf('.') + 1)}.csv`
      return body.filter((file: { name: string }) => file.name === name).length
    }
    return { jobId, timesDone }
  },
}

describe.each(Object.entries(kinds))(
  '%s that died after any of its writes and is given up',
  (_kind, submit) => {
    it('succeeds if its work is there, and fails if it is not', async () => {
      const statuses = new Set<string>()
      for (let writes = 1; ; writes += stride(2)) {
        const { jobId, timesDone } = await submit()
        faults.writesLeft = writes
        const isThrough = await run(jobId).then(
          () => true,
          error => !(error instanceof Crash),
        )
        faults.writesLeft = Number.POSITIVE_INFINITY
        const done = await giveUp(jobId)
        const { status, error } = await jobOf(jobId)
        statuses.add(status)
        expect(await timesDone(), `died at write ${writes}`).toBe(status === 'success' ? 1 : 0)
        expect(done).toMatchObject(
          status === 'success' ? { wasDone: true } : { failure: { message: 'killed' } },
        )
        if (status === 'error') expect(error.message).toContain('was not done')
        // A repeat of either changes nothing.
        await run(jobId)
        await giveUp(jobId)
        expect((await jobOf(jobId)).status).toBe(status)
        if (isThrough) break
      }
      expect([...statuses].toSorted()).toEqual(['error', 'success'])
    })
  },
)

/** A job whose process dies right before its end. */
const dieBeforeEnd = async (jobId: number): Promise<void> => {
  const jobs = { ...service.stores.jobs, succeed: () => Promise.reject(new Crash()) }
  await expect(runJob({ jobId }, { ...service.jobServices, jobs })).rejects.toThrow(Crash)
}

/** A drop leaves no mark. */
const submitDrop = async (tableId: string): Promise<number> =>
  (await service.call('DELETE', `/v2/storage/tables/${tableId}?async=1`)).body.id

describe('a load whose process dies before its end', () => {
  const submitUndone = async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    await dieBeforeEnd(jobId)
    return { tableId, jobId }
  }

  it('was not done, whoever closes it, how often, and beside a repeat of its own and the next load', async () => {
    const { tableId, jobId } = await submitUndone()
    expect(await rowsOf(tableId)).toEqual(['"0"'])
    const next = await submitImport(tableId, 'n\n2\n')
    await Promise.allSettled([giveUp(jobId), giveUp(jobId), run(jobId), run(next)])
    await execute(next)
    const { status } = await jobOf(jobId)
    expect(await rowsOf(tableId)).toEqual(status === 'success' ? ['"0"', '"1"', '"2"'] : ['"0"', '"2"'])
  })

  describe('and whose execution is gone', () => {
    const later = async (minutes: number, act: () => Promise<unknown>): Promise<void> => {
      const start = clock.time
      clock.time = new Date(start.getTime() + minutes * 60_000)
      await act().finally(() => {
        clock.time = start
      })
    }

    it('is closed by an execution of its own, which the clock starts', async () => {
      const { tableId, jobId } = await submitUndone()
      const closing: unknown[] = []
      const startJob: typeof service.jobServices.startJob = async ({ id }, given) => {
        if (id !== jobId || given === undefined) return 'ended'
        closing.push({ jobId: id, failure: given })
        return 'running'
      }
      await later(20, () => startOpenJobs({ ...service.jobServices, startJob }))
      expect((await jobOf(jobId)).status).toBe('processing')
      expect(closing).toEqual([{ jobId, failure: { Error: 'ExecutionGone', Cause: expect.any(String) } }])
      // The machine hands over what the execution was started with.
      const failure = { Error: 'ExecutionGone', Cause: 'gone' }
      await runJob({ jobId, failure }, service.jobServices)
      expect((await jobOf(jobId)).error.message).toContain('was not done')
      expect(await rowsOf(tableId)).toEqual(['"0"'])
    })

    it('says that nobody knows when that execution failed too', async () => {
      const tableId = await createTable()
      const jobId = await submitDrop(tableId)
      await dieBeforeEnd(jobId)
      const startJob = async () => 'ended' as const
      const job = await service.stores.jobs.get(jobId)
      if (!job) throw new Error('The job is stored')
      await later(20, () => reviveJob(job, { ...service.jobServices, startJob }))
      const { status, error } = await jobOf(jobId)
      expect(status).toBe('error')
      expect(error.message).toContain(`may have been done: look at the table "${tableId}"`)
      expect(error.message).not.toContain('was not done')
    })
  })
})

it('a landed version whose job is given up after its work is done is imported once, also when it is sent again', async () => {
  const landing = await startLanding({ service })
  const event = await landing.land('in.c-main/landed.csv', 'n\n1\n')
  service.startedJobs.length = 0
  const imported = landing.execute(event)
  await eventually(async () => expect(service.startedJobs).toHaveLength(1))
  const [jobId = 0] = service.startedJobs
  const succeed: typeof service.stores.jobs.succeed = async (...given) => {
    await service.stores.jobs.succeed(...given)
    throw new Crash()
  }
  const jobs = { ...service.stores.jobs, succeed }
  await expect(runJob({ jobId }, { ...service.jobServices, jobs })).rejects.toThrow(Crash)
  await giveUp(jobId)
  expect(await imported).toMatchObject({ status: 'succeeded', result: { outcome: 'started', jobId } })
  const again = await landing.execute(event)
  expect(again).toMatchObject({ status: 'succeeded', result: { outcome: 'alreadyStarted', jobId } })
  expect(new Set(service.startedJobs)).toEqual(new Set([jobId]))
  expect(await landing.rowsOf('in.c-main.landed')).toEqual(['1'])
  await landing.close()
})

describe('a job that another one has taken along', () => {
  const submitTogether = async () => {
    const tableId = await createTable()
    const jobIds = [await submitImport(tableId, 'n\n1\n'), await submitImport(tableId, 'n\n2\n')]
    const [first = 0, second = 0] = jobIds
    let calls = 0
    const { getMany } = service.stores.jobs
    // The first calls find the files and take them along; the third would end their jobs, after the head has moved.
    const dying: typeof getMany = ids => (++calls <= 2 ? getMany(ids) : Promise.reject(new Crash()))
    const jobs = { ...service.stores.jobs, getMany: dying }
    await expect(runJob({ jobId: first }, { ...service.jobServices, jobs })).rejects.toThrow(Crash)
    return { tableId, first, second }
  }
  const statusesOf = (ids: number[]) => Promise.all(ids.map(async id => (await jobOf(id)).status))

  it('is left to that one when it is given up, though its rows are there', async () => {
    const { tableId, first, second } = await submitTogether()
    await expect(giveUp(second)).rejects.toThrow('was changed while it was closed')
    expect(await statusesOf([first, second])).toEqual(['processing', 'waiting'])
    await giveUp(first)
    expect(await statusesOf([first, second])).toEqual(['success', 'success'])
    expect(await rowsOf(tableId)).toEqual(['"0"', '"1"', '"2"'])
  })

  it('is ended when the one that took it is given up', async () => {
    const { tableId, first, second } = await submitTogether()
    await giveUp(first)
    expect(await statusesOf([first, second])).toEqual(['success', 'success'])
    expect(await run(second)).toEqual({ status: 'done' })
    expect(await rowsOf(tableId)).toEqual(['"0"', '"1"', '"2"'])
  })
})

it('a job whose work leaves no mark says where to look', async () => {
  const tableId = await createTable()
  const jobId = await submitDrop(tableId)
  await dieBeforeEnd(jobId)
  await giveUp(jobId)
  expect((await jobOf(jobId)).error.message).toContain(`may have been done: look at the table "${tableId}"`)
})

it('a job that is given up before it begins was not done', async () => {
  const tableId = await createTable()
  const jobId = await submitImport(tableId, 'n\n1\n')
  await giveUp(jobId)
  expect((await jobOf(jobId)).error.message).toContain('was not done')
})

it('a function that outlives its execution moves no head after its job was given up', async () => {
  const tableId = await createTable()
  const jobId = await submitImport(tableId, 'n\n1\n')
  faults.duringLoad = async () => void (await giveUp(jobId))
  await run(jobId).catch(() => {})
  faults.duringLoad = async () => {}
  expect((await jobOf(jobId)).status).toBe('error')
  expect(await rowsOf(tableId)).toEqual(['"0"'])
})

describe('a job that is given up while somebody works for it', () => {
  it('moves no head that it was about to write', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    const { inBranch } = service.jobServices
    const slow: typeof inBranch = branchId => {
      const ofBranch = inBranch(branchId)
      const replacing: typeof ofBranch.tables.replacing = async table => {
        await giveUp(jobId)
        return ofBranch.tables.replacing(table)
      }
      return { ...ofBranch, tables: { ...ofBranch.tables, replacing } }
    }
    await runJob({ jobId }, { ...service.jobServices, inBranch: slow }).catch(() => {})
    expect((await jobOf(jobId)).status).toBe('error')
    expect(await rowsOf(tableId)).toEqual(['"0"'])
  })

  describe.each(['before', 'after'])('and that another one takes along, %s it says so', moment => {
    it('ends as its rows say', async () => {
      const tableId = await createTable()
      const [first, second] = [await submitImport(tableId, 'n\n1\n'), await submitImport(tableId, 'n\n2\n')]
      const close = () => giveUp(second).catch(() => {})
      const { inBranch } = service.jobServices
      const closing: typeof inBranch = branchId => {
        const ofBranch = inBranch(branchId)
        const { queue } = ofBranch
        const claim: typeof queue.claim = async (...given) => {
          if (moment === 'before') await close()
          const isClaimed = await queue.claim(...given)
          if (moment === 'after') await close()
          return isClaimed
        }
        return { ...ofBranch, queue: { ...queue, claim } }
      }
      await runJob({ jobId: first }, { ...service.jobServices, inBranch: closing })
      await giveUp(second)
      const { status } = await jobOf(second)
      const rows = (await rowsOf(tableId)).filter(row => row === '"2"')
      expect(rows).toHaveLength(status === 'success' ? 1 : 0)
      expect((await jobOf(first)).status).toBe('success')
    })
  })
})

it('an export that is given up before its end made no file', async () => {
  const tableId = await createTable()
  const jobId = await post(`/v2/storage/tables/${tableId}/export-async`, {})
  await dieBeforeEnd(jobId)
  await giveUp(jobId)
  expect((await jobOf(jobId)).error.message).toContain('was not done')
  const { body: files } = await service.call('GET', '/v2/storage/files?tags[]=table-export&limit=200')
  const name = `${tableId.slice(tableId.lastIndexOf('.') + 1)}.csv`
  expect(files.filter((file: { name: string }) => file.name === name)).toEqual([])
})
