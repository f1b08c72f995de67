import { beforeEach, describe, expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { startOpenJobs } from '#functions/tick/open-jobs.ts'
import { Crash, startJobsByHand } from '../../support/jobs-by-hand.ts'
import { stride } from '../../support/thorough.ts'

const byHand = await startJobsByHand()
const { service, bucketId, clock, faults, newName, run, execute, jobOf, createTable, rowsOf } = byHand
const { submitCreate, submitImport } = byHand
beforeEach(() => {
  service.startedJobs.length = 0
  service.logged.length = 0
})

const submit = async (tableId: string, contents: string[], settings = {}): Promise<number[]> => {
  const jobIds: number[] = []
  for (const content of contents) {
    const dataFileId = await service.upload(content)
    const path = `/v2/storage/tables/${tableId}/import-async`
    jobIds.push((await service.call('POST', path, { dataFileId, incremental: 1, ...settings })).body.id)
  }
  return jobIds
}

const statusesOf = async (jobIds: number[]): Promise<string[]> =>
  Promise.all(jobIds.map(async jobId => (await jobOf(jobId)).status))

const createKeyed = async (): Promise<string> => {
  const name = newName()
  const dataFileId = await service.upload('n,v\n0,a\n')
  const path = `/v2/storage/buckets/${bucketId}/tables-async`
  const { body } = await service.call('POST', path, { name, dataFileId, primaryKey: 'n' })
  await execute(body.id)
  return `${bucketId}.${name}`
}

describe('a job that waits for its table', () => {
  it('is started by the job before it, once that has ended', async () => {
    const tableId = await createTable()
    const first = await submitImport(tableId, 'n\n1\n')
    const [second = 0] = await submit(tableId, ['n\n2\n'], { incremental: 0 })
    const third = await submitImport(tableId, 'n\n3\n')
    expect(service.startedJobs.slice(-1)).toEqual([first])
    await run(first)
    expect(service.startedJobs.slice(-2)).toEqual([first, second])
    await run(second)
    await run(third)
    expect(service.startedJobs.slice(-3)).toEqual([first, second, third])
    expect(await rowsOf(tableId)).toEqual(['"2"', '"3"'])
  })

  it('is started by the clock when the one before it died before it could', async () => {
    const tableId = await createTable()
    const first = await submitImport(tableId, 'n\n1\n')
    const [second = 0] = await submit(tableId, ['n\n2\n'], { incremental: 0 })
    const startJob = () => Promise.reject(new Error('down'))
    expect(await runJob({ jobId: first }, { ...service.jobServices, startJob })).toEqual({ status: 'done' })
    expect(service.startedJobs).not.toContain(second)
    const start = clock.time
    clock.time = new Date(start.getTime() + 60_000)
    await startOpenJobs(service.jobServices)
    clock.time = start
    expect(service.startedJobs).toContain(second)
  })

  it('is not failed because it waits long', async () => {
    const tableId = await createTable()
    const [first = 0, second = 0] = await submit(tableId, ['n\n1\n', 'n\n2\n'])
    const start = clock.time
    clock.time = new Date(start.getTime() + 40 * 3_600_000)
    expect(await statusesOf([second])).toEqual(['waiting'])
    clock.time = start
    await run(first)
    expect(await statusesOf([first, second])).toEqual(['success', 'success'])
  })
})

describe('files that wait for one table', () => {
  it('are loaded together, each with its own result, in the order in which they were accepted', async () => {
    const tableId = await createTable()
    const jobIds = await submit(tableId, ['n\n1\n2\n', 'n\n3\n', 'n\n4\n5\n6\n'])
    const alsoEnded = jobIds.slice(1).map(id => `job-${id}`)
    expect(await run(jobIds[0] ?? 0)).toEqual({ status: 'done', alsoEnded })
    expect(await statusesOf(jobIds)).toEqual(['success', 'success', 'success'])
    const counts = await Promise.all(jobIds.map(async id => (await jobOf(id)).results.importedRowsCount))
    expect(counts).toEqual([2, 1, 3])
    expect((await jobOf(jobIds[2] ?? 0)).metrics.inBytes).toBe(8)
    expect(await rowsOf(tableId)).toEqual(['0', '1', '2', '3', '4', '5', '6'].map(n => `"${n}"`))
    expect(service.startedJobs.slice(1)).toEqual([jobIds[0]])
    const { body: events } = await service.call('GET', `/v2/storage/tables/${tableId}/events?limit=50`)
    const told = events.map((event: { params: { jobId: number } }) => event.params.jobId)
    expect(told).toEqual(expect.arrayContaining(jobIds))
  })

  it('have a header where their first lines hold the names in "columns", each of them', async () => {
    const tableId = await createTable()
    const jobIds = await submit(tableId, ['n\n1\n', 'n\n2\n', '3\n'], { columns: ['n'] })
    await run(jobIds[0] ?? 0)
    expect(await rowsOf(tableId)).toEqual(['0', '1', '2', '3'].map(n => `"${n}"`))
    const warnings = await Promise.all(jobIds.map(async id => (await jobOf(id)).results.warnings))
    expect(warnings).toMatchObject(
      [[/read as the header/], [/read as the header/], []].map(list =>
        list.map(text => expect.stringMatching(text)),
      ),
    )
  })

  it('fail alone when they are wrong: the first, one in the middle, one that is missing', async () => {
    const tableId = await createTable()
    const contents = ['wrong\n1\n', 'n\n2\n', 'n\n"3\n', 'n\n4\n', 'm\n5\n', 'n\n6\n']
    const jobIds = await submit(tableId, contents)
    await service.call(
      'DELETE',
      `/v2/storage/files/${(await jobOf(jobIds[5] ?? 0)).operationParams.source.fileId}`,
    )
    for (const jobId of jobIds.slice(0, 2)) await run(jobId)
    expect(await statusesOf(jobIds)).toEqual(['error', 'success', 'error', 'success', 'error', 'error'])
    const codes = await Promise.all([0, 2, 4, 5].map(async at => (await jobOf(jobIds[at] ?? 0)).error.code))
    expect(codes).toEqual([
      'csvImport.columnsNotMatch',
      'invalidCsv',
      'csvImport.columnsNotMatch',
      'storage.files.notFound',
    ])
    expect((await jobOf(jobIds[4] ?? 0)).results).toEqual({ missingColumns: ['n'], expectedColumns: ['n'] })
    expect(await rowsOf(tableId)).toEqual(['"0"', '"2"', '"4"'])
  })

  it('merge by the primary key as one after the other would', async () => {
    const tableId = await createKeyed()
    const jobIds = await submit(tableId, ['n,v\n1,x\n0,b\n', 'n,v\n1,y\n', 'n,v\n2,z\n0,c\n'])
    await run(jobIds[0] ?? 0)
    expect(await statusesOf(jobIds)).toEqual(['success', 'success', 'success'])
    expect((await rowsOf(tableId)).sort()).toEqual(['"0","c"', '"1","y"', '"2","z"'])
  })

  it('are loaded up to one that adds a column, and that one next', async () => {
    const tableId = await createTable()
    const jobIds = await submit(tableId, ['n\n1\n', 'n,m\n2,b\n', 'm,n\nc,3\n', 'n\n4\n'])
    await run(jobIds[0] ?? 0)
    expect(await statusesOf(jobIds)).toEqual(['success', 'waiting', 'waiting', 'waiting'])
    expect(service.startedJobs.slice(1)).toEqual([jobIds[0], jobIds[1]])
    await run(jobIds[1] ?? 0)
    expect(await statusesOf(jobIds)).toEqual(['success', 'success', 'success', 'error'])
    expect(await rowsOf(tableId)).toEqual(['"0",""', '"1",""', '"2","b"', '"3","c"'])
  })

  it('are not loaded across a job of another kind', async () => {
    const tableId = await createTable()
    const [first = 0] = await submit(tableId, ['n\n1\n'])
    const [full = 0] = await submit(tableId, ['n\n2\n'], { incremental: 0 })
    const [last = 0] = await submit(tableId, ['n\n3\n'])
    await run(first)
    expect(await statusesOf([first, full, last])).toEqual(['success', 'waiting', 'waiting'])
    await run(full)
    await run(last)
    expect(await rowsOf(tableId)).toEqual(['"2"', '"3"'])
  })

  it('that would all create it are refused, when the first has', async () => {
    const name = newName()
    const jobIds: number[] = []
    for (const n of [1, 2, 3]) jobIds.push(await submitCreate(name, `n\n${n}\n`))
    for (const jobId of jobIds) await run(jobId)
    expect(await statusesOf(jobIds)).toEqual(['success', 'error', 'error'])
    expect((await jobOf(jobIds[2] ?? 0)).error.code).toBe('storage.buckets.tableAlreadyExists')
    expect(await rowsOf(`${bucketId}.${name}`)).toEqual(['"1"'])
  })
})

describe('a load of several files that dies', () => {
  it('after any of its writes has loaded each of them once, in order', async () => {
    let last = 0
    for (let writes = 1; ; writes += stride(2)) {
      const tableId = await createTable()
      const jobIds = await submit(tableId, ['n\n1\n', 'n\n"2\n', 'n\n3\n'])
      faults.writesLeft = writes
      const isThrough = await run(jobIds[0] ?? 0).then(
        () => true,
        error => !(error instanceof Crash),
      )
      faults.writesLeft = Number.POSITIVE_INFINITY
      for (const jobId of jobIds) await execute(jobId)
      expect(await rowsOf(tableId), `died at write ${writes}`).toEqual(['"0"', '"1"', '"3"'])
      expect(await statusesOf(jobIds)).toEqual(['success', 'error', 'success'])
      expect(await run(await submitImport(tableId, 'n\n4\n'))).toEqual({ status: 'done' })
      if (isThrough) break
      last = writes
    }
    expect(last + stride(2), 'the next write that it would have died after').toBeGreaterThan(3)
  })

  it('and is given up leaves no file to be loaded twice', async () => {
    const tableId = await createTable()
    const jobIds = await submit(tableId, ['n\n1\n', 'n\n2\n', 'n\n3\n'])
    const [first = 0, second = 0] = jobIds
    const getMany = () => Promise.reject(new Crash())
    let calls = 0
    const jobs = {
      ...service.stores.jobs,
      // The first calls find the files and take them along; the third would end their jobs, after the head has moved.
      getMany: (ids: readonly number[]) => (++calls <= 2 ? service.stores.jobs.getMany(ids) : getMany()),
    }
    await expect(runJob({ jobId: first }, { ...service.jobServices, jobs })).rejects.toThrow(Crash)
    expect(await rowsOf(tableId)).toHaveLength(4)
    await runJob({ jobId: first, failure: { Error: 'Error', Cause: 'gone' } }, service.jobServices)
    expect(await run(second)).toEqual({ status: 'done' })
    expect(await statusesOf(jobIds)).toEqual(['success', 'success', 'success'])
    expect(await rowsOf(tableId)).toHaveLength(4)
  })

  it('of a file that it took along loads its own alone the next time', async () => {
    const tableId = await createTable()
    const jobIds = await submit(tableId, ['n\n1\n', 'n\n2\n'])
    const [first = 0, second = 0] = jobIds
    const engine = await service.jobServices.tableEngine()
    const dying: typeof engine = {
      ...engine,
      loadTogether: () => new Promise<never>(() => {}),
      until: () => dying,
    }
    // The invocation is cut off: it never answers.
    void runJob({ jobId: first }, { ...service.jobServices, tableEngine: async () => dying })
    while ((await jobOf(first)).status !== 'processing');
    await execute(first)
    expect(await statusesOf(jobIds)).toEqual(['success', 'waiting'])
    await execute(second)
    expect(await rowsOf(tableId)).toEqual(['"0"', '"1"', '"2"'])
  })
})

it('two runs of one job and a run of the next, at once, load each file once', async () => {
  const tableId = await createTable()
  const jobIds = await submit(tableId, ['n\n1\n', 'n\n2\n', 'n\n3\n'])
  const [first = 0, second = 0] = jobIds
  await Promise.allSettled([run(first), run(first), run(second)])
  for (const jobId of jobIds) await execute(jobId)
  expect(await rowsOf(tableId)).toEqual(['"0"', '"1"', '"2"', '"3"'])
  expect(await statusesOf(jobIds)).toEqual(['success', 'success', 'success'])
})
