import { describe, expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { Crash, startJobsByHand } from '../../support/jobs-by-hand.ts'
import { stride } from '../../support/thorough.ts'

const {
  service,
  bucketId,
  faults,
  newName,
  run,
  execute,
  submitCreate,
  submitImport,
  jobOf,
  createTable,
  rowsOf,
} = await startJobsByHand()

let kinds = 0

/**
 * Runs the job again and again, each time dying one write later, until a run gets through; after how many writes the last
 * one died. Unless all are wanted, one kind of job dies at its odd writes, the next one at its even ones.
 */
const dieAtEveryWrite = async (
  submit: () => Promise<number>,
  check: (jobId: number) => Promise<void>,
): Promise<number> => {
  const step = stride(2)
  let last = 0
  for (let writes = 1 + (kinds++ % step); ; writes += step) {
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
    if (isThrough) return last
    last = writes
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
        // The next job of the table gets the table.
        const next = await submitImport(`${bucketId}.${name}`, 'n\n2\n')
        expect(await run(next)).toEqual({ status: 'done' })
      },
    )
    expect(died).toBeGreaterThanOrEqual(1)
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
    expect(died).toBeGreaterThanOrEqual(2)
  })

  it('rule 12, a swap: exchanges two tables once, and loses neither', async () => {
    let ids: string[] = []
    const submit = async () => {
      ids = [await createTable(), await createTable()]
      await execute(await submitImport(ids[1] ?? '', 'n\n1\n'))
      const path = `/v2/storage/tables/${ids[1]}/swap`
      return (await service.call('POST', path, { targetTableId: ids[0] })).body.id as number
    }
    const died = await dieAtEveryWrite(submit, async jobId => {
      expect(await jobOf(jobId)).toMatchObject({ status: 'success', results: { id: ids[1], rowsCount: 1 } })
      expect(await rowsOf(ids[0] ?? '')).toEqual(['"0"', '"1"'])
      expect(await rowsOf(ids[1] ?? '')).toEqual(['"0"'])
      for (const id of ids) expect(await run(await submitImport(id, 'n\n2\n'))).toEqual({ status: 'done' })
      expect(await rowsOf(ids[1] ?? '')).toEqual(['"0"', '"2"'])
    })
    expect(died).toBeGreaterThanOrEqual(1)
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

const post = async (path: string, body: unknown): Promise<number> =>
  (await service.call('POST', `/v2/storage${path}`, body)).body.id
const remove = async (path: string): Promise<number> =>
  (await service.call('DELETE', `/v2/storage${path}`)).body.id
const columnsOf = async (tableId: string): Promise<string[]> =>
  (await service.call('GET', `/v2/storage/tables/${tableId}`)).body.columns

/** A table with the columns n and m and the rows 1,a and 2,b. */
const createPairs = async (): Promise<string> => {
  const name = newName()
  await execute(await submitCreate(name, 'n,m\n1,a\n2,b\n'))
  return `${bucketId}.${name}`
}

interface Alteration {
  name: string
  submit: (tableId: string) => Promise<number>
  results: unknown
  check: (tableId: string) => Promise<void>
}

const alterations: Alteration[] = [
  {
    name: 'adds its column once',
    submit: tableId => post(`/tables/${tableId}/columns`, { name: 'x' }),
    results: null,
    check: async tableId => expect(await columnsOf(tableId)).toEqual(['n', 'm', 'x']),
  },
  {
    name: 'deletes its column once',
    submit: tableId => remove(`/tables/${tableId}/columns/m`),
    results: null,
    check: async tableId => expect(await rowsOf(tableId)).toEqual(['"1"', '"2"']),
  },
  {
    name: 'adds its primary key once',
    submit: tableId => post(`/tables/${tableId}/primary-key`, { columns: ['n'] }),
    results: null,
    check: async tableId =>
      expect((await service.stores.tables.get(tableId))?.snapshot.primaryKey).toEqual(['n']),
  },
  {
    name: 'deletes its rows once',
    submit: tableId => remove(`/tables/${tableId}/rows?whereColumn=n&whereValues[]=1`),
    results: { deletedRows: 1 },
    check: async tableId => expect(await rowsOf(tableId)).toEqual(['"2","b"']),
  },
  {
    name: 'keeps one snapshot',
    submit: tableId => post(`/tables/${tableId}/snapshots`, {}),
    results: { id: expect.any(Number) },
    check: async tableId =>
      expect((await service.call('GET', `/v2/storage/tables/${tableId}/snapshots`)).body).toHaveLength(1),
  },
  {
    name: 'copies its table once',
    submit: tableId =>
      post(`/buckets/${bucketId}/tables-async`, {
        name: `${tableId.split('.').at(-1)}-copy`,
        sourceTableId: tableId,
      }),
    results: expect.objectContaining({ rowsCount: 2 }),
    check: async tableId => expect(await rowsOf(`${tableId}-copy`)).toEqual(['"1","a"', '"2","b"']),
  },
  {
    name: 'exports its table to one file',
    submit: tableId => post(`/tables/${tableId}/export-async`, { gzip: 1 }),
    results: { file: { id: expect.any(Number) }, cacheHit: false },
    check: async tableId => {
      const { body: files } = await service.call('GET', '/v2/storage/files?tags[]=table-export')
      const name = `${tableId.split('.').at(-1)}.csv.gz`
      expect(files.filter((file: { name: string }) => file.name === name)).toHaveLength(1)
    },
  },
]

describe('a job on a table that dies after any of its writes and is run again', () => {
  it.each(alterations)('$name', async ({ submit, results, check }) => {
    let tableId = ''
    const died = await dieAtEveryWrite(
      async () => {
        tableId = await createPairs()
        return submit(tableId)
      },
      async jobId => {
        expect(await jobOf(jobId)).toMatchObject({ status: 'success', results })
        await check(tableId)
        // The next job of the table gets the table.
        const next = await submitImport(tableId, `${(await columnsOf(tableId)).join(',')}\n`)
        expect(await run(next)).toEqual({ status: 'done' })
        expect((await jobOf(next)).status).toBe('success')
      },
    )
    expect(died).toBeGreaterThanOrEqual(1)
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
