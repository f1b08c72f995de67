import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ItemTable } from '../../../functions/lib/storage-store/item-table.ts'
import type { TableEngine } from '../../../functions/lib/tables/table-engine.ts'
import { runJob } from '../../../functions/run-job/run-job.ts'
import { executeJob, type StorageService, startStorageService } from '../../support/storage-service.ts'

/** Makes the process "die" right after its nth write from now on, or within a load. */
const faults = { writesLeft: Number.POSITIVE_INFINITY, duringLoad: async (): Promise<void> => {} }
class Crash extends Error {}

const dyingItems = (items: ItemTable): ItemTable => {
  const dieAfter = async (write: Promise<boolean>): Promise<boolean> => {
    const result = await write
    if (--faults.writesLeft === 0) throw new Crash()
    return result
  }
  return {
    ...items,
    put: (...parameters) => dieAfter(items.put(...parameters)),
    delete: (...parameters) => dieAfter(items.delete(...parameters)),
  }
}

const interruptedEngine = (engine: TableEngine): TableEngine => ({
  ...engine,
  load: async request => {
    const result = await engine.load(request)
    await faults.duringLoad()
    return result
  },
})

let service: StorageService
let bucketId: string
let time = new Date('2026-07-16T00:00:00Z')
beforeAll(async () => {
  service = await startStorageService({
    isRunningJobs: false,
    jobWaitMs: 0,
    items: dyingItems,
    engine: interruptedEngine,
    now: () => time,
  })
  bucketId = await service.createBucket('main')
})
afterAll(() => service.close())

let tables = 0
const newName = () => `t${++tables}`

const run = (jobId: number) => runJob({ jobId }, service.jobServices)
const execute = (jobId: number) => executeJob(jobId, service.jobServices)
const jobOf = async (id: number) => (await service.call('GET', `/v2/storage/jobs/${id}`)).body
const detail = (tableId: string) => service.call('GET', `/v2/storage/tables/${tableId}`)

const submitCreate = async (name: string, content: string, settings = {}): Promise<number> => {
  const dataFileId = await service.upload(content)
  const { body } = await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, {
    name,
    dataFileId,
    ...settings,
  })
  return body.id
}
const submitImport = async (
  tableId: string,
  content: string,
  settings: Record<string, unknown> = { incremental: 1 },
): Promise<number> => {
  const dataFileId = await service.upload(content)
  const { body } = await service.call('POST', `/v2/storage/tables/${tableId}/import-async`, {
    dataFileId,
    ...settings,
  })
  return body.id
}
const createTable = async (content = 'n\n0\n'): Promise<string> => {
  const name = newName()
  await execute(await submitCreate(name, content))
  return `${bucketId}.${name}`
}
const rowsOf = async (tableId: string): Promise<string[]> => {
  const { text } = await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)
  return text.trimEnd().split('\n').slice(1)
}

/** Runs the job again and again, each time dying one write later, until a run gets through; how many died. */
const dieAtEveryWrite = async (
  submit: () => Promise<number>,
  check: (jobId: number) => Promise<void>,
): Promise<number> => {
  for (let writes = 1; ; writes++) {
    const jobId = await submit()
    faults.writesLeft = writes
    const isThrough = await run(jobId).then(
      () => true,
      error => {
        expect(error).toBeInstanceOf(Crash)
        return false
      },
    )
    faults.writesLeft = Number.POSITIVE_INFINITY
    if (isThrough) return writes - 1
    await execute(jobId)
    await check(jobId)
  }
}

describe('a job that dies after any of its writes and is run again', () => {
  it('creates its table once', async () => {
    let name = ''
    const died = await dieAtEveryWrite(
      () => {
        name = newName()
        return submitCreate(name, 'n\n1\n')
      },
      async jobId => {
        expect(await jobOf(jobId)).toMatchObject({
          status: 'success',
          results: { id: `${bucketId}.${name}`, rowsCount: 1 },
        })
        expect(await rowsOf(`${bucketId}.${name}`)).toEqual(['"1"'])
        // The next job of the table finds its turn.
        const next = await submitImport(`${bucketId}.${name}`, 'n\n2\n')
        expect(await run(next)).toEqual({ status: 'done' })
      },
    )
    expect(died).toBeGreaterThanOrEqual(6)
  })

  it('loads its file once', async () => {
    let tableId = ''
    const died = await dieAtEveryWrite(
      async () => {
        tableId = await createTable()
        return submitImport(tableId, 'n\n1\n')
      },
      async jobId => {
        expect(await jobOf(jobId)).toMatchObject({
          status: 'success',
          results: { importedColumns: ['n'], importedRowsCount: 1, totalRowsCount: 2 },
          metrics: { inBytes: 4 },
        })
        expect(await rowsOf(tableId)).toEqual(['"0"', '"1"'])
        expect(await run(await submitImport(tableId, 'n\n2\n'))).toEqual({ status: 'done' })
      },
    )
    expect(died).toBeGreaterThanOrEqual(6)
  })

  it('refuses its file once, with the table as it was', async () => {
    let tableId = ''
    await dieAtEveryWrite(
      async () => {
        tableId = await createTable()
        return submitImport(tableId, 'wrong\n1\n')
      },
      async jobId => {
        expect(await jobOf(jobId)).toMatchObject({
          status: 'error',
          error: { code: 'csvImport.columnsNotMatch' },
        })
        expect(await rowsOf(tableId)).toEqual(['"0"'])
        expect(await run(await submitImport(tableId, 'n\n2\n'))).toEqual({ status: 'done' })
      },
    )
  })

  it('deletes its bucket with all tables', async () => {
    let id = ''
    await dieAtEveryWrite(
      async () => {
        id = await service.createBucket(newName())
        for (const name of ['a', 'b']) {
          const dataFileId = await service.upload('n\n')
          const { body } = await service.call('POST', `/v2/storage/buckets/${id}/tables-async`, {
            name,
            dataFileId,
          })
          await execute(body.id)
        }
        return (await service.call('DELETE', `/v2/storage/buckets/${id}?force=1&async=1`)).body.id
      },
      async jobId => {
        expect((await jobOf(jobId)).status).toBe('success')
        expect((await service.call('GET', `/v2/storage/buckets/${id}`)).status).toBe(404)
        expect(await service.stores.tables.listInBucket(id)).toEqual([])
      },
    )
  })

  it('has the results of its first run when it died between the table and the job', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n2\n')
    // Dies just before the job is marked.
    await expect(
      runJob(
        { jobId },
        {
          ...service.jobServices,
          jobs: { ...service.stores.jobs, succeed: () => Promise.reject(new Crash()) },
        },
      ),
    ).rejects.toThrow(Crash)
    expect((await jobOf(jobId)).status).toBe('processing')
    await execute(jobId)
    expect((await jobOf(jobId)).results).toMatchObject({ importedRowsCount: 2, totalRowsCount: 3 })
  })
})

describe('a request that dies after any of its writes and is repeated with its idempotency key', () => {
  it('has made one job, which runs', async () => {
    for (let writes = 1; ; writes++) {
      const tableId = await createTable()
      const dataFileId = await service.upload('n\n1\n')
      const request = () =>
        service.call(
          'POST',
          `/v2/storage/tables/${tableId}/import-async`,
          { dataFileId, incremental: 1 },
          { 'Idempotency-Key': tableId },
        )
      faults.writesLeft = writes
      const first = await request()
      faults.writesLeft = Number.POSITIVE_INFINITY
      const { status, body: job } = await request()
      expect(status).toBe(202)
      await execute(job.id)
      expect(await rowsOf(tableId)).toEqual(['"0"', '"1"'])
      if (first.status === 202) {
        expect(first.body.id).toBe(job.id)
        break
      }
      expect(first.status).toBe(500)
    }
    service.logged.length = 0
  })
})

describe('the jobs of one table', () => {
  it('run one after the other: a later one is blocked until the earlier is done', async () => {
    const tableId = await createTable()
    const first = await submitImport(tableId, 'n\n1\n')
    const second = await submitImport(tableId, 'n\n2\n')
    expect(await run(second)).toEqual({ status: 'blocked', waitSeconds: 1 })
    expect((await jobOf(second)).status).toBe('waiting')
    expect(await run(first)).toEqual({ status: 'done' })
    expect(await run(second)).toEqual({ status: 'done' })
    expect(await rowsOf(tableId)).toEqual(['"0"', '"1"', '"2"'])
  })

  it('do not wait for those of another table', async () => {
    const [a, b] = [await createTable(), await createTable()]
    await submitImport(a, 'n\n1\n')
    expect(await run(await submitImport(b, 'n\n1\n'))).toEqual({ status: 'done' })
  })

  it('wait longer the older they are, up to ten seconds', async () => {
    const tableId = await createTable()
    await submitImport(tableId, 'n\n1\n')
    const second = await submitImport(tableId, 'n\n2\n')
    const waits: unknown[] = []
    const start = time
    for (const seconds of [0, 15, 45, 3_600]) {
      time = new Date(start.getTime() + seconds * 1000)
      waits.push(await run(second))
    }
    time = start
    expect(waits).toEqual([1, 2, 5, 10].map(waitSeconds => ({ status: 'blocked', waitSeconds })))
  })

  it('start the one before when nobody did', async () => {
    const tableId = await createTable()
    const first = await submitImport(tableId, 'n\n1\n')
    const second = await submitImport(tableId, 'n\n2\n')
    service.startedJobs.length = 0
    await run(second)
    expect(service.startedJobs).toEqual([])
    const start = time
    time = new Date(start.getTime() + 10_000)
    await run(second)
    time = start
    expect(service.startedJobs).toEqual([first])
  })

  it('go on when the one before has ended without a result', async () => {
    const tableId = await createTable()
    const first = await submitImport(tableId, 'n\n1\n')
    const second = await submitImport(tableId, 'n\n2\n')
    const start = time
    time = new Date(start.getTime() + 10_000)
    const result = await runJob({ jobId: second }, { ...service.jobServices, startJob: async () => 'ended' })
    time = start
    expect(result).toEqual({ status: 'done' })
    expect((await jobOf(first)).status).toBe('error')
    expect(await rowsOf(tableId)).toEqual(['"0"', '"2"'])
  })

  it('do not block each other when an earlier one comes to the line late', async () => {
    const tableId = await createTable()
    const early = await submitImport(tableId, 'n\n1\n')
    const late = await submitImport(tableId, 'n\n2\n')
    await service.stores.queue.leave(tableId, early)
    faults.duringLoad = () => Promise.reject(new Crash())
    await expect(run(late)).rejects.toThrow(Crash)
    faults.duringLoad = async () => {}

    expect(await run(early)).toMatchObject({ status: 'blocked' })
    expect(await run(late)).toEqual({ status: 'done' })
    expect(await run(early)).toEqual({ status: 'done' })
    expect(await rowsOf(tableId)).toEqual(['"0"', '"2"', '"1"'])
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

describe('a table that is deleted while a job is at work', () => {
  it('makes the job fail, and stays deleted', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    faults.duringLoad = async () => void (await service.call('DELETE', `/v2/storage/tables/${tableId}`))
    await run(jobId)
    faults.duringLoad = async () => {}
    expect(await jobOf(jobId)).toMatchObject({ status: 'error', error: { code: 'storage.tables.notFound' } })
    expect((await detail(tableId)).status).toBe(404)
  })

  it('and is created anew keeps nothing of that job', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    const table = await service.stores.tables.get(tableId)
    if (!table) throw new Error('no table')
    faults.duringLoad = async () => {
      await service.stores.tables.delete(table)
      await service.stores.tables.insert({ ...table, internalId: table.internalId + 1 })
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
    faults.duringLoad = async () => void (await service.call('DELETE', `/v2/storage/buckets/${id}`))
    await run(job.id)
    faults.duringLoad = async () => {}
    expect((await jobOf(job.id)).error.code).toBe('storage.buckets.notFound')
    expect(await service.stores.tables.listInBucket(id)).toEqual([])
  })
})

describe('a job that fails for good', () => {
  it('says an id and not the cause, and lets the next one go on', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    const next = await submitImport(tableId, 'n\n2\n')
    faults.duringLoad = () => Promise.reject(new Error('secret cause'))
    await expect(run(jobId)).rejects.toThrow('secret cause')
    faults.duringLoad = async () => {}
    expect(await run(next)).toMatchObject({ status: 'blocked' })

    const failure = { Error: 'Error', Cause: 'secret cause' }
    expect(await runJob({ jobId, failure }, service.jobServices)).toEqual({ status: 'done' })
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

  it('stays a success when its failure is reported too late', async () => {
    const tableId = await createTable()
    const jobId = await submitImport(tableId, 'n\n1\n')
    await run(jobId)
    await runJob({ jobId, failure: { Error: 'States.Timeout' } }, service.jobServices)
    expect((await jobOf(jobId)).status).toBe('success')
  })
})
