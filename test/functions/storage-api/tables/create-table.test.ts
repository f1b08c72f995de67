import { describe, expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, create, detail, rowsOf } = await startTableRoutes()

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
        columnMetadata: {},
        metadata: [],
        attributes: [],
        bucket: { id: bucketId, tables: `http://storage.test/v2/storage/buckets/${bucketId}/tables` },
      },
      metrics: { inCompressed: false, inBytes: 35, inBytesUncompressed: 35 },
    })
    expect(job.results.dataSizeBytes).toBeGreaterThan(0)
    expect(job).not.toHaveProperty('error')
    // The detail alone has the metadata of the bucket.
    const table = await detail(`${bucketId}.${name}`)
    expect({ ...table, bucket: job.results.bucket }).toEqual(job.results)
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

  it.each([
    ['id;name\n1;a\n', undefined, ';'],
    ['id\tname\n1\ta\n', undefined, '\\t'],
    ['id|name\n1|a\n', undefined, '|'],
    ['id,name\n1,a\n', ';', ','],
  ])(
    'refuses a file whose one column is several of another delimiter: %j',
    async (content, delimiter, likely) => {
      const name = newName()
      const { body } = await create({ name, dataFileId: await service.upload(content), delimiter })
      expect(body).toMatchObject({ status: 'error', error: { code: 'csvImport.wrongDelimiter' } })
      expect(body.error.message).toContain(`Set the delimiter to "${likely}"`)
    },
  )

  it.each([
    ['in quotes', '"id;name"\n1\n', {}],
    ['in the request', '1\n', { columns: ['id;name'] }],
  ])('takes a name with another delimiter that is written %s', async (_what, content, settings) => {
    const { body } = await create({ name: newName(), dataFileId: await service.upload(content), ...settings })
    expect(body.results.columns).toEqual(['id_name'])
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
      "Invalid data - displayName: '_x' contains not allowed characters. Cannot start with underscore.",
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
    const { status, body } = await create({ name: newName(), dataWorkspaceId: 5, dataTableName: 'orders' })
    expect((await create({ name: newName(), dataUrl: 'https://example.com/orders.csv' })).status).toBe(501)
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

  it.each([
    ['the header', 'a,b\n1\n', undefined],
    ['"columns"', '1\n', ['a', 'b']],
  ])('holds a ragged line against %s, since there is no table yet', async (named, content, columns) => {
    const { body: job } = await create({
      name: newName(),
      dataFileId: await service.upload(content),
      columns,
    })
    const words = `Load error: Number of columns in file (1) does not match that of ${named} (2) at line `
    expect(job.error.message).toContain(words)
  })
})
