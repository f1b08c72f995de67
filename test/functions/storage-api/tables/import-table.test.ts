import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkKeyOfTable } from '#lib/wire/primary-key.ts'
import { eventually } from '#support/eventually.ts'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, create, load, detail, rowsOf } = await startTableRoutes()

describe('POST import-async', () => {
  it('replaces the rows and reports the load', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'id,city\n1,Prague\n')
    const { status, body: job } = await load(tableId, {
      dataFileId: await service.upload('city,id\nBrno,2\nOstrava,3\n'),
    })
    expect(status).toBe(202)
    expect(job).toMatchObject({
      status: 'success',
      tableId,
      operationName: 'tableImport',
      operationParams: { params: { incremental: false } },
      results: {
        warnings: [],
        importedColumns: ['city', 'id'],
        totalRowsCount: 2,
        importedRowsCount: 2,
        replacedRowsCount: 0,
        transaction: null,
        timers: [{ name: 'load', durationSeconds: expect.any(Number) }],
      },
    })
    expect(job.results.totalDataSizeBytes).toBeGreaterThan(0)
    expect(await rowsOf(tableId)).toEqual(['"2","Brno"', '"3","Ostrava"'])
  })

  it('updates and adds rows by the primary key when incremental', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'id,city\n1,Prague\n2,Brno\n', {
      primaryKey: 'id',
    })
    const { body } = await load(tableId, {
      dataFileId: await service.upload('id,city\n2,Ostrava\n3,Brno\n'),
      incremental: 'True',
    })
    expect(body.results).toMatchObject({ totalRowsCount: 3, importedRowsCount: 2 })
    expect(await rowsOf(tableId)).toEqual(['"1","Prague"', '"2","Ostrava"', '"3","Brno"'])
  })

  it('says how many rows a later one with the same key replaced, also of a table that it makes', async () => {
    const { body: made } = await create({
      name: newName(),
      primaryKey: 'id',
      dataFileId: await service.upload('id,v\n1,a\n1,b\n2,c\n1,d\n'),
    })
    expect(made.results).toMatchObject({ rowsCount: 2, importedRowsCount: 4, replacedRowsCount: 2 })
    const { body } = await load(made.results.id, {
      dataFileId: await service.upload('id,v\n2,x\n3,y\n3,z\n'),
      incremental: 1,
    })
    expect(body.results).toMatchObject({ totalRowsCount: 3, importedRowsCount: 3, replacedRowsCount: 1 })
    const { body: events } = await service.call('GET', `/v2/storage/tables/${made.results.id}/events`)
    expect(events.map(({ results }: { results: object }) => results)).toContainEqual(
      expect.objectContaining({ importedRowsCount: 3, replacedRowsCount: 1 }),
    )
  })

  describe('with a primary key that the table does not have', () => {
    const events = async (tableId: string) =>
      (await service.call('GET', `/v2/storage/tables/${tableId}/events`)).body

    it.each([
      ['no key', undefined],
      ['another key', 'city'],
    ])('is refused when incremental: %s', async (_what, primaryKey) => {
      const settings = primaryKey === undefined ? {} : { primaryKey }
      const tableId = await service.createTable(bucketId, newName(), 'id,city\n1,Prague\n', settings)
      const dataFileId = await service.upload('id,city\n1,Brno\n')
      const { body: job } = await load(tableId, { dataFileId, incremental: 1, primaryKey: 'id' })
      expect(job).toMatchObject({
        status: 'error',
        operationParams: { params: { primaryKey: ['id'] } },
        error: {
          code: 'storage.tables.primaryKeyDiffers',
          message: expect.stringContaining(`tables/${tableId}/primary-key`),
        },
      })
      expect(await rowsOf(tableId)).toEqual(['"1","Prague"'])
    })

    it('loads all rows again and says so, in the result and in an event', async () => {
      const tableId = await service.createTable(bucketId, newName(), 'id,city\n1,Prague\n', {
        primaryKey: 'city',
      })
      const dataFileId = await service.upload('id,city\n1,Brno\n')
      const { body: job } = await load(tableId, { dataFileId, primaryKey: ['id'] })
      const warning = expect.stringContaining('has the primary key "city", not "id"')
      expect(job).toMatchObject({ status: 'success', results: { warnings: [warning] } })
      expect((await detail(tableId)).primaryKey).toEqual(['city'])
      // The job's event comes after the end of the job.
      await eventually(async () =>
        expect(await events(tableId)).toContainEqual(
          expect.objectContaining({
            event: 'storage.tableImportDone',
            type: 'warn',
            results: expect.objectContaining({ warnings: [warning] }),
          }),
        ),
      )
    })

    it('has nothing to say when only the order differs, or when a form lists columns', async () => {
      const tableId = await service.createTable(bucketId, newName(), 'id,city\n1,Prague\n', {
        primaryKey: 'id,city',
      })
      const dataFileId = await service.upload('id,city\n2,Brno\n')
      const ordered = await load(tableId, { dataFileId, incremental: 1, primaryKey: 'city, id' })
      expect(ordered.body).toMatchObject({ status: 'success', results: { warnings: [] } })

      const columns = await service.createTable(bucketId, newName(), 'id,city\n1,Prague\n')
      const form = `dataFileId=${dataFileId}&incremental=1&primaryKey[]=id&primaryKey[]=city`
      const { body } = await service.call('POST', `/v2/storage/tables/${columns}/import-async`, form, {
        'content-type': 'application/x-www-form-urlencoded',
      })
      expect(body).toMatchObject({ status: 'success', results: { warnings: [], totalRowsCount: 2 } })
    })
  })

  it.each(['My Id', 'Größe (cm)', 'ид', 'date', ' id '])(
    'takes a key by the heading of its column: %s',
    async heading => {
      const file = (cell: string) => service.upload(`"${heading}",t\n1,${cell}\n`)
      const name = newName()
      const { body: job } = await create({ name, dataFileId: await file('a'), primaryKey: heading })
      expect(job).toMatchObject({ status: 'success' })
      const later = { dataFileId: await file('b'), incremental: 1, primaryKey: heading }
      const { body: again } = await load(job.results.id, later)
      expect(again).toMatchObject({ status: 'success', results: { warnings: [] } })
      expect(await rowsOf(job.results.id)).toEqual(['"1","b"'])
      const keyless = await service.createTable(bucketId, newName(), `"${heading}",t\n1,a\n`)
      await service.call('POST', `/v2/storage/tables/${keyless}/primary-key`, { columns: [heading] })
      const [of, other] = await Promise.all([detail(keyless), detail(job.results.id)])
      expect([of.primaryKey, other.primaryKey]).toEqual([[of.columns[0]], [of.columns[0]]])
      // Who loads through the client compares the key first, as it was asked for.
      expect(
        checkKeyOfTable({
          tableId: keyless,
          tableKey: of.primaryKey,
          primaryKey: [heading],
          incremental: true,
        }),
      ).toEqual([])
    },
  )

  const CASES = '../shared/conformance/public-cases/'
  it.skipIf(!existsSync(CASES))(
    'a07: names in "columns" that are the header are so on each day',
    async () => {
      const file = (day: number) => service.upload(readFileSync(`${CASES}a07-day${day}.csv`, 'utf8'))
      const columns = ['id', 'name']
      const { body: job } = await create({ name: newName(), dataFileId: await file(1), columns })
      await load(job.results.id, { dataFileId: await file(2), columns, incremental: 1 })
      expect(await rowsOf(job.results.id)).toEqual(['"1","a"', '"2","b"'])
    },
  )

  it('warns of a file whose one column is several of another delimiter, where the table was made so', async () => {
    const tableId = await service.createTable(bucketId, newName(), '"id;name"\n1;a\n')
    const { body } = await load(tableId, { dataFileId: await service.upload('id;name\n2;b\n') })
    expect(body.results).toMatchObject({ warnings: [expect.stringContaining('";"')], importedRowsCount: 1 })
    // The job's event comes after the end of the job.
    await eventually(async () => {
      const { body: events } = await service.call('GET', `/v2/storage/tables/${tableId}/events`)
      expect(events[0].results.warnings).toEqual(body.results.warnings)
    })
  })

  it('adds columns that the table does not have', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'id\n1\n')
    await load(tableId, { dataFileId: await service.upload('id,city\n2,Brno\n'), incremental: 1 })
    expect((await detail(tableId)).columns).toEqual(['id', 'city'])
    expect(await rowsOf(tableId)).toEqual(['"1",""', '"2","Brno"'])
  })

  it.each([
    ['without headers', 'x,1\n', { withoutHeaders: 1 }, ['"x","1"']],
    ['with columns in another order', '1,x\n', { columns: ['id', 'city'] }, ['"x","1"']],
    [
      'with lines to skip',
      '# made today\nx,1\n',
      { ignoredLinesCount: 1, columns: ['city', 'id'] },
      ['"x","1"'],
    ],
    ['with a value for null', 'city,id\nnone,1\n', { treatValuesAsNull: ['none'] }, ['"","1"']],
    ['with an escape character', 'city,id\na\\, b,1\n', { escapedBy: '\\' }, ['"a, b","1"']],
    [
      'with a primary key, as one client names the columns',
      'city,id\nx,1\n',
      { primaryKey: ['id'] },
      ['"x","1"'],
    ],
  ])('reads a file %s', async (_what, content, settings, rows) => {
    const tableId = await service.createTable(bucketId, newName(), 'city,id\n')
    const { body } = await load(tableId, { dataFileId: await service.upload(content), ...settings })
    expect(body).toMatchObject({ status: 'success' })
    expect(await rowsOf(tableId)).toEqual(rows)
  })

  it('fails on missing columns, says which, and leaves the table as it was', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'a,b,c\n1,2,3\n')
    const before = await detail(tableId)
    const { body: job } = await load(tableId, { dataFileId: await service.upload('c\n9\n') })
    expect(job).toMatchObject({
      status: 'error',
      results: { missingColumns: ['a', 'b'], expectedColumns: ['a', 'b', 'c'] },
      error: {
        code: 'csvImport.columnsNotMatch',
        message:
          'Some columns are missing in the csv file. Missing columns: a,b. Expected columns: a,b,c. ' +
          'Please check if the expected delimiter "," is used in the csv file.',
        contextParams: { missingColumns: ['a', 'b'] },
      },
    })
    const { body: ragged } = await load(tableId, { dataFileId: await service.upload('a,b,c\n1,2,3,4\n') })
    expect(ragged.error.message).toMatch(/^Load error: .* that of the corresponding table \(3\) at line 2,/)
    expect(await detail(tableId)).toEqual(before)
    expect(await rowsOf(tableId)).toEqual(['"1","2","3"'])
  })

  it('loads files in the order in which they were accepted', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'n\n')
    const files = await Promise.all(Array.from({ length: 6 }, (_, index) => service.upload(`n\n${index}\n`)))
    const jobs: Promise<{ body: { id: number } }>[] = []
    for (const dataFileId of files) jobs.push(load(tableId, { dataFileId }))
    const done = (await Promise.all(jobs)).map(({ body }) => body.id)
    const lastFile = files[done.indexOf(Math.max(...done))]
    expect(await rowsOf(tableId)).toEqual([`"${files.indexOf(lastFile ?? -1)}"`])
  })

  it('adds every file of many at once', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'n\n')
    const files = await Promise.all(Array.from({ length: 8 }, (_, index) => service.upload(`n\n${index}\n`)))
    const replies = await Promise.all(files.map(dataFileId => load(tableId, { dataFileId, incremental: 1 })))
    expect(replies.map(({ body }) => body.status)).toEqual(files.map(() => 'success'))
    expect(await rowsOf(tableId)).toEqual(files.map((_, index) => `"${index}"`))
  })

  it('makes one job of many requests with one idempotency key', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'n\n')
    const dataFileId = await service.upload('n\n1\n')
    const request = () =>
      service.call(
        'POST',
        `/v2/storage/tables/${tableId}/import-async`,
        { dataFileId, incremental: 1 },
        { 'Idempotency-Key': `load ${tableId}` },
      )
    const replies = [...(await Promise.all(Array.from({ length: 20 }, request))), await request()]
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.id} ${body.status}`)).size).toBe(1)
    expect(await rowsOf(tableId)).toEqual(['"1"'])
    expect((await service.call('GET', `/v2/storage/jobs?tableId=${tableId}`)).body).toHaveLength(1)
  })

  it('answers a repeated request with its job, whatever has become of what it needed', async () => {
    const name = newName()
    const dataFileId = await service.upload('n\n1\n')
    const headers = { 'Idempotency-Key': `again ${name}` }
    const createPath = `/v2/storage/buckets/${bucketId}/tables-async`
    const created = await service.call('POST', createPath, { name, dataFileId }, headers)
    // The table is there now, which a new request would be refused for.
    const createdAgain = await service.call('POST', createPath, { name, dataFileId }, headers)
    expect(createdAgain.body).toEqual(created.body)

    const importPath = `/v2/storage/tables/${bucketId}.${name}/import-async`
    // The same key for another operation names another job.
    const loaded = await service.call('POST', importPath, { dataFileId }, headers)
    expect(loaded.status).toBe(202)
    expect(loaded.body.id).not.toBe(created.body.id)
    await service.call('DELETE', `/v2/storage/files/${dataFileId}`)
    await service.call('DELETE', `/v2/storage/tables/${bucketId}.${name}`)
    const loadedAgain = await service.call('POST', importPath, { dataFileId }, headers)
    expect(loadedAgain.body).toEqual(loaded.body)
    expect(loadedAgain.status).toBe(202)
  })

  it('refuses an idempotency key that came with another load', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'n\n')
    const dataFileId = await service.upload('n\n1\n')
    const path = `/v2/storage/tables/${tableId}/import-async`
    const headers = { 'Idempotency-Key': `other ${tableId}` }
    await service.call('POST', path, { dataFileId }, headers)
    const { status, body } = await service.call('POST', path, { dataFileId, incremental: 1 }, headers)
    expect([status, body.code]).toEqual([422, 'storage.idempotencyKeyReused'])
  })

  it('refuses a table that is not there', async () => {
    const { status, body } = await load(`${bucketId}.nothing`, { dataFileId: 1 })
    expect([status, body.code]).toEqual([404, 'storage.tables.notFound'])
    expect(body.error).toBe(
      `The table "nothing" was not found in the bucket "${bucketId}" in the project "7"`,
    )
  })
})
