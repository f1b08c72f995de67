import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StorageService, startStorageService } from '../../../support/storage-service.ts'

let service: StorageService
let bucketId: string
beforeAll(async () => {
  service = await startStorageService()
  bucketId = await service.createBucket('main')
})
afterAll(() => service.close())

let tables = 0
/** A name that no other test uses. */
const newName = () => `t${++tables}`

const create = (body: Record<string, unknown>) =>
  service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, body)
const load = (tableId: string, body: Record<string, unknown>) =>
  service.call('POST', `/v2/storage/tables/${tableId}/import-async`, body)
const detail = async (tableId: string) => (await service.call('GET', `/v2/storage/tables/${tableId}`)).body
const rowsOf = async (tableId: string): Promise<string[]> => {
  const { text } = await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)
  const [, ...rows] = text.trimEnd().split('\n')
  return rows.toSorted()
}

describe('POST tables-async', () => {
  it('creates the table by a job whose results are the table', async () => {
    const dataFileId = await service.upload('id,city\n1,Prague\n2,"Bad ""Ischl"""\n')
    const name = newName()
    const { status, body: job } = await create({ name, dataFileId, primaryKey: 'id' })
    expect(status).toBe(202)
    expect(job).toMatchObject({
      id: expect.any(Number),
      status: 'success',
      url: `http://storage.test/v2/storage/jobs/${job.id}`,
      tableId: null,
      operationName: 'tableCreate',
      operationParams: {
        params: { delimiter: ',', enclosure: '"', escapedBy: '' },
        source: { fileId: dataFileId, type: 'file' },
        queue: 'main',
      },
      creatorToken: { id: '42', description: 'Master token' },
      results: {
        id: `${bucketId}.${name}`,
        name,
        displayName: name,
        primaryKey: ['id'],
        columns: ['id', 'city'],
        rowsCount: 2,
        isAlias: false,
        isTyped: false,
        columnMetadata: [],
        metadata: [],
        attributes: [],
        bucket: { id: bucketId, tables: `http://storage.test/v2/storage/buckets/${bucketId}/tables` },
      },
      metrics: { inCompressed: false, inBytes: 35, inBytesUncompressed: 35 },
    })
    expect(job.results.dataSizeBytes).toBeGreaterThan(0)
    expect(job).not.toHaveProperty('error')
    expect(await detail(`${bucketId}.${name}`)).toEqual(job.results)
    expect(await rowsOf(`${bucketId}.${name}`)).toEqual(['"1","Prague"', '"2","Bad ""Ischl"""'])
  })

  it.each([
    ['a form', 'form'],
    ['a branch', 'branch'],
  ])('takes the request by %s', async (_what, how) => {
    const dataFileId = await service.upload('a;b\n1;2\n')
    const name = newName()
    const fields = `name=${name}&dataFileId=${dataFileId}&delimiter=${encodeURIComponent(';')}`
    const path = how === 'form' ? '/v2/storage' : '/v2/storage/branch/1'
    const { body } = await service.call('POST', `${path}/buckets/${bucketId}/tables-async`, fields, {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(body.results.columns).toEqual(['a', 'b'])
  })

  it('reads a tab that is written in two characters', async () => {
    const { body } = await create({
      name: newName(),
      dataFileId: await service.upload('a\tb\n1\t2\n'),
      delimiter: '\\t',
    })
    expect(body.results.columns).toEqual(['a', 'b'])
  })

  it('takes the names of the columns from the request: then the file has no header', async () => {
    const name = newName()
    const { body } = await create({
      name,
      dataFileId: await service.upload('1,2\n'),
      columns: ['language-id', 'b'],
    })
    expect(body.results.columns).toEqual(['language_id', 'b'])
    expect(await rowsOf(body.results.id)).toEqual(['"1","2"'])
  })

  it('reads a sliced file in the order of its manifest', async () => {
    const dataFileId = await service.uploadSlices(['1,a\n2,b\n', '3,c\n'])
    const { body } = await create({ name: newName(), dataFileId, columns: ['id', 'name'] })
    expect(body.status).toBe('success')
    expect(await rowsOf(body.results.id)).toEqual(['"1","a"', '"2","b"', '"3","c"'])
  })

  it('reports the size of a compressed file as compressed', async () => {
    const { gzipSync } = await import('node:zlib')
    const content = gzipSync('a\n1\n')
    const { body } = await create({
      name: newName(),
      dataFileId: await service.upload(content, { name: 'a.csv.gz' }),
    })
    expect(body.metrics).toMatchObject({
      inCompressed: true,
      inBytes: content.length,
      inBytesUncompressed: 0,
    })
  })

  it.each([
    [
      'no name',
      { name: undefined },
      'storage.tables.validation',
      'Table create option "name" is required and cannot be empty.',
    ],
    ['a blank name', { name: '' }, 'storage.tables.validation', 'is required and cannot be empty'],
    [
      'a dot in the name',
      { name: 'x.' },
      'storage.tables.validation',
      "Invalid table name: 'x.' contains not allowed characters. Only alphanumeric characters dash and underscores are allowed.",
    ],
    [
      'a bad display name',
      { displayName: '_x' },
      'storage.tables.validation',
      'Invalid data - displayName: Cannot start with underscore.',
    ],
    ['no file', { dataFileId: undefined }, 'storage.tables.validation', '"dataFileId" is required'],
    ['a file id that is none', { dataFileId: 'x' }, 'storage.tables.validation', 'dataFileId'],
    ['a primary key as a list', { primaryKey: ['id'] }, 'storage.validation.primaryKey', 'comma separated'],
    ['a delimiter of two characters', { delimiter: '/t' }, 'invalidCsv', 'delimiter'],
    [
      'enclosure and escape character',
      { enclosure: '"', escapedBy: '\\' },
      'csvImport.invalidCsvParams',
      'enclosure',
    ],
    [
      'two values as null',
      { treatValuesAsNull: ['a', 'b'] },
      'storage.tables.validation',
      'treatValuesAsNull',
    ],
  ])('refuses %s', async (_what, change, code, message) => {
    const { status, body } = await create({ name: newName(), dataFileId: 1, ...change })
    expect([status, body.code]).toEqual([400, code])
    expect(body.error).toContain(message)
  })

  it('refuses a file that is not there', async () => {
    const { status, body } = await create({ name: newName(), dataFileId: 1 })
    expect([status, body.code]).toEqual([404, 'storage.files.notFound'])
  })

  it('refuses a bucket that is not there', async () => {
    const { status, body } = await service.call('POST', '/v2/storage/buckets/in.c-no/tables-async', {
      name: 'a',
      dataFileId: 1,
    })
    expect([status, body.code]).toEqual([404, 'storage.buckets.notFound'])
  })

  it('refuses sources that it does not have', async () => {
    const { status, body } = await create({ name: newName(), snapshotId: 1 })
    expect([status, body.code]).toEqual([501, 'notImplemented'])
  })

  it('refuses the name of a table that exists', async () => {
    const name = newName()
    await service.createTable(bucketId, name, 'a\n1\n')
    const { status, body } = await create({ name, dataFileId: await service.upload('a\n2\n') })
    expect([status, body.code]).toEqual([400, 'storage.buckets.tableAlreadyExists'])
    expect(body.error).toBe(`The table "${name}" in the bucket already has the same display name "${name}".`)
  })

  it('makes one table of twenty requests at once', async () => {
    const name = newName()
    const dataFileId = await service.upload('a\n1\n')
    const replies = await Promise.all(Array.from({ length: 20 }, () => create({ name, dataFileId })))
    const won = replies.filter(({ body }) => body.status === 'success')
    const lost = replies.filter(
      ({ body }) => (body.error?.code ?? body.code) === 'storage.buckets.tableAlreadyExists',
    )
    expect([won.length, lost.length]).toEqual([1, 19])
  })

  it.each([
    [
      'a file that was not uploaded',
      'storage.fileNotUploaded',
      async () =>
        (await service.call('POST', '/v2/storage/files/prepare', { name: 'a', federationToken: 1 })).body.id,
      {},
    ],
    ['an empty file', 'storage.tables.validation.noColumns', () => service.upload(''), {}],
    [
      'a primary key of unknown columns',
      'storage.tables.validation.invalidPrimaryKeyColumns',
      () => service.upload('a\n1\n'),
      { primaryKey: 'b' },
    ],
    [
      'columns that differ in case only',
      'storage.tables.validation.invalidColumnName',
      () => service.upload('a,A\n1,2\n'),
      {},
    ],
    [
      'slices without columns',
      'storage.tables.validation.invalidColumnName',
      () => service.uploadSlices(['1\n']),
      {},
    ],
    ['a ragged line', 'invalidCsv', () => service.upload('a,b\n1\n'), {}],
    ['a NUL byte', 'invalidCsv', () => service.upload('a\n\0\n'), {}],
  ])('fails on %s and leaves no table', async (_what, code, upload, settings) => {
    const name = newName()
    const { status, body: job } = await create({ name, dataFileId: await upload(), ...settings })
    expect(status).toBe(202)
    expect(job).toMatchObject({
      status: 'error',
      results: null,
      error: { exceptionId: expect.any(String), contextParams: expect.any(Object) },
    })
    expect(job.error.code).toContain(code)
    expect((await service.call('GET', `/v2/storage/tables/${bucketId}.${name}`)).status).toBe(404)
    expect(service.logged).toEqual([])
  })
})

describe('the manifest of a sliced file', () => {
  const failureOf = async (write: (key: string) => Promise<unknown>) => {
    const { body: file } = await service.call('POST', '/v2/storage/files/prepare', {
      name: 'a.csv',
      isSliced: 1,
      federationToken: 1,
    })
    await write(file.uploadParams.key)
    const { body: job } = await create({ name: newName(), dataFileId: file.id, columns: ['a'] })
    return job.error?.code
  }
  const put = async (key: string, body: string) => {
    const { PutObjectCommand } = await import('@aws-sdk/client-s3')
    await service.s3.send(new PutObjectCommand({ Bucket: service.filesBucket, Key: key, Body: body }))
  }

  it('must be there', async () => {
    expect(await failureOf(async () => {})).toBe('storage.manifestFileMissing')
  })

  it.each(['', 'x', '[]', '{"entries":[{}]}'])('must be a manifest, not %j', async content => {
    expect(await failureOf(key => put(`${key}manifest`, content))).toBe('storage.manifestFileInvalid')
  })

  it.each([
    's3://files/exp-15/7/secret.csv',
    's3://tables/tables/1/1/part.parquet',
    's3://files/',
    'https://example.com/a.csv',
    '/etc/passwd',
  ])('may not name %s', async url => {
    expect(await failureOf(key => put(`${key}manifest`, JSON.stringify({ entries: [{ url }] })))).toBe(
      'storage.unauthorizedAccess',
    )
  })

  it('may not name a slice that is not there', async () => {
    const code = await failureOf(key =>
      put(`${key}manifest`, JSON.stringify({ entries: [{ url: `s3://files/${key}part0` }] })),
    )
    expect(code).toBe('storage.importFileMissing')
  })

  it('may hold keys that mean nothing here', async () => {
    const code = await failureOf(async key => {
      await put(`${key}part0`, '1\n')
      await put(
        `${key}manifest`,
        JSON.stringify({ meta: 1, entries: [{ url: `s3://files/${key}part0`, mandatory: true }] }),
      )
    })
    expect(code).toBeUndefined()
  })
})

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
    const loaded = await service.call('POST', importPath, { dataFileId }, headers)
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

describe('GET tables', () => {
  it('lists the tables of all buckets with what is asked for', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'a\n1\n')
    const find = async (query: string) =>
      (await service.call('GET', `/v2/storage/tables${query}`)).body.find(
        (table: { id: string }) => table.id === tableId,
      )
    expect(await find('?include=columns,metadata,columnMetadata,attributes,buckets')).toMatchObject({
      rowsCount: 1,
      columns: ['a'],
      metadata: [],
      columnMetadata: [],
      attributes: [],
      bucket: { id: bucketId },
    })
    expect(await find('')).not.toHaveProperty('columns')
  })

  it('lists the tables of one bucket', async () => {
    const own = await service.createBucket('own')
    await service.createTable(own, 'b', 'a\n')
    await service.createTable(own, 'a', 'a\n')
    const { body } = await service.call('GET', `/v2/storage/buckets/${own}/tables`)
    expect(body.map((table: { id: string }) => table.id)).toEqual([`${own}.a`, `${own}.b`])
    expect((await service.call('GET', '/v2/storage/buckets/in.c-no/tables')).status).toBe(404)
  })

  it.each(['in.c-main', 'in.c-main.', 'nothing', `in.c-main.${'x'.repeat(3_000)}`, 'in.c-main.a.b'])(
    'answers 404 for %s',
    async id => {
      const { status, body } = await service.call('GET', `/v2/storage/tables/${id}`)
      expect([status, body.code]).toEqual([404, 'storage.tables.notFound'])
    },
  )
})

describe('DELETE tables/{id}', () => {
  it('deletes at once: one client does not wait for jobs', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'a\n1\n')
    expect((await service.call('DELETE', `/v2/storage/tables/${tableId}?force=1`)).status).toBe(204)
    expect((await service.call('DELETE', `/v2/storage/tables/${tableId}`)).body.code).toBe(
      'storage.tables.notFound',
    )
  })

  it('deletes by a job with async', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'a\n1\n')
    const { status, body } = await service.call('DELETE', `/v2/storage/tables/${tableId}?async=1`)
    expect([status, body.operationName, body.status, body.tableId]).toEqual([
      202,
      'tableDrop',
      'success',
      tableId,
    ])
    expect((await service.call('GET', `/v2/storage/tables/${tableId}`)).status).toBe(404)
  })

  it('leaves the name to a new table, which has nothing of the old one', async () => {
    const name = newName()
    const tableId = await service.createTable(bucketId, name, 'a\n1\n')
    await service.call('DELETE', `/v2/storage/tables/${tableId}`)
    await service.createTable(bucketId, name, 'b\n2\n')
    expect(await rowsOf(tableId)).toEqual(['"2"'])
  })
})

describe('GET data-preview', () => {
  let tableId: string
  const preview = (query: string) =>
    service.call('GET', `/v2/storage/tables/${tableId}/data-preview?${query}`)
  beforeAll(async () => {
    tableId = await service.createTable(
      bucketId,
      newName(),
      'id,city,size\n1,Prague,10\n2,"Brno\nSouth",9\n3,,100\n',
    )
  })

  it('is CSV with a header, every value quoted, every line ended', async () => {
    const { status, text, headers } = await preview('')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/csv/)
    expect(text).toBe('"id","city","size"\n"1","Prague","10"\n"2","Brno\nSouth","9"\n"3","","100"\n')
  })

  it.each([
    ['limit=1', ['1']],
    ['limit=0', ['1', '2', '3']],
    ['whereColumn=id&whereValues[]=2&whereValues[]=3', ['2', '3']],
    ['whereColumn=id&whereOperator=neq&whereValues[]=2', ['1', '3']],
    [
      'whereFilters[0][column]=size&whereFilters[0][operator]=gt&whereFilters[0][values][0]=9&whereFilters[0][dataType]=INTEGER',
      ['1', '3'],
    ],
    [
      'whereFilters[0][column]=id&whereFilters[0][values][]=1&whereFilters[1][column]=city&whereFilters[1][values][]=Prague',
      ['1'],
    ],
    ['orderBy[0][column]=size&orderBy[0][order]=desc&orderBy[0][dataType]=INTEGER', ['3', '1', '2']],
    ['changedSince=-1%20hour', ['1', '2', '3']],
    ['changedUntil=yesterday', []],
  ])('%s gives the rows %j', async (query, ids) => {
    const { body } = await preview(`${query}&format=json&columns=id`)
    expect(body.rows.map(([cell]: { value: string }[]) => cell?.value)).toEqual(ids)
  })

  it('takes columns in the order that is asked for', async () => {
    expect((await preview('columns=size,id&limit=1')).text).toBe('"size","id"\n"10","1"\n')
    expect((await preview('columns[]=size&columns[]=id&limit=1')).text).toBe('"size","id"\n"10","1"\n')
  })

  it('as JSON cuts long values and says so', async () => {
    const wide = await service.createTable(bucketId, newName(), `a,b\n${'x'.repeat(20_000)},y\n`)
    const { body } = await service.call('GET', `/v2/storage/tables/${wide}/data-preview?format=json`)
    expect(body).toEqual({
      columns: ['a', 'b'],
      rows: [
        [
          { columnName: 'a', value: 'x'.repeat(16_384), isTruncated: true },
          { columnName: 'b', value: 'y', isTruncated: false },
        ],
      ],
    })
  })

  it.each([
    ['limit=1001', 'storage.tables.validation'],
    ['limit=x', 'storage.tables.validation'],
    ['format=xml', 'storage.tables.validation.invalidFormat'],
    ['columns=nothing', 'storage.tables.validation.columnNotExists'],
    ['whereColumn=nothing&whereValues[]=1', 'storage.tables.validation.columnNotExists'],
    ['whereColumn=id', 'storage.tables.validation'],
    [
      'whereFilters[0][column]=id&whereFilters[0][operator]=like&whereFilters[0][values][]=1',
      'storage.tables.validation',
    ],
    ['changedSince=soon', 'storage.tables.validation'],
    ['whereColumn=id&whereValues[]=%00', 'storage.tables.validation'],
  ])('refuses %s as %s', async (query, code) => {
    const { status, body } = await preview(query)
    expect([status, body.code]).toEqual([400, code])
  })

  it('names the part of a filter that is missing', async () => {
    const { body } = await preview('whereFilters[0][column]=id')
    expect(body.error).toBe('Invalid request:\n - whereFilters[0][values]: "This field is missing."')
  })
})
