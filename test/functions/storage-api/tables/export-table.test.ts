import { gunzipSync } from 'node:zlib'
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, load } = await startTableRoutes()

const submit = (tableId: string, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  service.call('POST', `/v2/storage/tables/${tableId}/export-async`, body, headers)

/** The slices of a file, read with the file's own credentials in the order of its manifest. */
const download = async (fileId: number): Promise<Buffer[]> => {
  const { body: file } = await service.call('GET', `/v2/storage/files/${fileId}?federationToken=1`)
  const { AccessKeyId, SecretAccessKey, SessionToken } = file.credentials
  const s3 = new S3Client({
    endpoint: service.s3Endpoint,
    region: file.region,
    forcePathStyle: true,
    credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
  })
  try {
    // The manifest needs no credentials: its address is signed.
    const manifest = (await (await fetch(file.url)).json()) as { entries: { url: string }[] }
    const slices: Buffer[] = []
    for (const { url } of manifest.entries) {
      const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(url) ?? []
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      slices.push(Buffer.from((await Body?.transformToByteArray()) ?? []))
    }
    return slices
  } finally {
    s3.destroy()
  }
}

const exported = async (tableId: string, body: Record<string, unknown> = {}): Promise<string> => {
  const { body: job } = await submit(tableId, body)
  expect(job).toMatchObject({ status: 'success' })
  const slices = await download(job.results.file.id)
  return Buffer.concat(body['gzip'] ? slices.map(slice => gunzipSync(slice)) : slices).toString()
}

const tableId = await service.createTable(
  bucketId,
  newName(),
  'id,name,amount\n1,"a ""quoted""",10\n2,"two\nlines",9\n3,,100\n',
  { primaryKey: 'id' },
)

describe('POST tables/{id}/export-async', () => {
  it('answers a job whose results name the file', async () => {
    const { status, body: job } = await submit(tableId, {}, { 'X-KBC-RunId': 'run1' })
    expect(status).toBe(202)
    expect(job).toMatchObject({
      operationName: 'tableExport',
      tableId,
      status: 'success',
      results: { file: { id: expect.any(Number) }, cacheHit: false },
      operationParams: {
        export: {
          tableName: tableId,
          columns: ['id', 'name', 'amount'],
          limit: null,
          changedSince: null,
          changedUntil: null,
          gzipOutput: false,
          format: 'rfc',
          whereFilters: [],
          fileType: 'csv',
          timezone: 'UTC',
        },
      },
      metrics: { outCompressed: false, outBytes: 0, outBytesUncompressed: 57 },
    })
    const { body: file } = await service.call('GET', `/v2/storage/files/${job.results.file.id}`)
    expect(file).toMatchObject({
      isSliced: true,
      isEncrypted: true,
      fileType: 'csv',
      tags: ['table-export'],
      maxAgeDays: 2,
      sizeBytes: 57,
      runId: 'run1',
      runIds: ['run1'],
      creatorToken: { id: 42 },
    })
  })

  it('writes rows without a header, with every value in quotes and lines ended by \\n', async () => {
    expect(await exported(tableId)).toBe('"1","a ""quoted""","10"\n"2","two\nlines","9"\n"3","","100"\n')
  })

  it('compresses each slice as one gzip member', async () => {
    const { body: job } = await submit(tableId, { gzip: true })
    expect(job.metrics).toMatchObject({ outCompressed: true, outBytesUncompressed: 0 })
    expect(job.metrics.outBytes).toBeGreaterThan(0)
    const slices = await download(job.results.file.id)
    expect(slices.map(slice => gunzipSync(slice).toString())).toEqual([await exported(tableId)])
    const { body: file } = await service.call('GET', `/v2/storage/files/${job.results.file.id}`)
    expect(await (await fetch(file.url)).json()).toEqual({
      entries: [{ url: expect.stringMatching(/^s3:\/\/.*\.csv\.gz$/) }],
    })
  })

  it.each([{}, { gzip: true }, { orderBy: [{ column: 'id' }] }])(
    'writes an object of JSON a line: %j',
    async form => {
      const lines = await exported(tableId, { ...form, format: 'json' })
      expect(lines.endsWith('\n')).toBe(true)
      expect(
        lines
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line)),
      ).toEqual([
        { id: '1', name: 'a "quoted"', amount: '10' },
        { id: '2', name: 'two\nlines', amount: '9' },
        { id: '3', name: '', amount: '100' },
      ])
    },
  )

  it.each([
    ['columns as a list, in this order', { columns: ['amount', 'id'] }, '"10","1"\n"9","2"\n"100","3"\n'],
    ['columns as a comma list', { columns: 'amount, id' }, '"10","1"\n"9","2"\n"100","3"\n'],
    ['a limit', { columns: 'id', limit: 2 }, '"1"\n"2"\n'],
    ['a limit of 0, which is none', { columns: 'id', limit: 0 }, '"1"\n"2"\n"3"\n'],
    ['blank fields, which are not set', { columns: 'id', limit: '', changedSince: '' }, '"1"\n"2"\n"3"\n'],
    ['one condition', { columns: 'id', whereColumn: 'amount', whereValues: ['9', '100'] }, '"2"\n"3"\n'],
    ['one condition of one value', { columns: 'id', whereColumn: 'amount', whereValues: '9' }, '"2"\n'],
    [
      'one negated condition',
      { columns: 'id', whereColumn: 'amount', whereOperator: 'neq', whereValues: ['9'] },
      '"1"\n"3"\n',
    ],
    ['empty cells', { columns: 'id', whereFilters: [{ column: 'name', values: [''] }] }, '"3"\n'],
    [
      'cells that are not empty',
      { columns: 'id', whereFilters: [{ column: 'name', operator: 'ne', values: [''] }] },
      '"1"\n"2"\n',
    ],
    [
      'a comparison of texts',
      { columns: 'id', whereFilters: [{ column: 'amount', operator: 'gt', values: ['10'] }] },
      '"2"\n"3"\n',
    ],
    [
      'a comparison of numbers',
      {
        columns: 'id',
        whereFilters: [{ column: 'amount', operator: 'ge', values: ['10'], dataType: 'INTEGER' }],
      },
      '"1"\n"3"\n',
    ],
    [
      'conditions, of which all must hold',
      {
        columns: 'id',
        whereFilters: [
          { column: 'amount', operator: 'ge', values: ['10'], dataType: 'DOUBLE' },
          { column: 'name', values: [''] },
        ],
      },
      '"3"\n',
    ],
    ['a text in any column', { columns: 'id', fulltextSearch: 'QUOTED' }, '"1"\n'],
    ['an order of texts', { columns: 'id', orderBy: [{ column: 'amount' }] }, '"1"\n"3"\n"2"\n'],
    [
      'an order of numbers',
      { columns: 'id', orderBy: [{ column: 'amount', order: 'DESC', dataType: 'INTEGER' }], limit: 2 },
      '"3"\n"1"\n',
    ],
    ['rows changed in the last two days', { columns: 'id', changedSince: '-2 days' }, '"1"\n"2"\n"3"\n'],
    ['rows changed until then', { columns: 'id', changedUntil: '-2 days' }, ''],
    ['rows changed since a second', { columns: 'id', changedSince: '4102444800' }, ''],
    ['an order of no rows', { orderBy: [{ column: 'id' }], changedSince: '4102444800' }, ''],
  ])('takes %s', async (_, body, expected) => {
    expect(await exported(tableId, body)).toBe(expected)
  })

  it('compares columns with times in words', async () => {
    const now = Date.now()
    const at = (days: number) => new Date(now + days * 86_400_000).toISOString()
    const id = await service.createTable(
      bucketId,
      newName(),
      `id,at\n1,${at(-3)}\n2,${at(-1).slice(0, 19)}\n3,never\n`,
    )
    const whereFilters = [{ column: 'at', operator: 'ge', values: ['-2 days'], type: 'TIME_STRING' }]
    expect(await exported(id, { columns: 'id', whereFilters })).toBe('"2"\n')
  })

  it('adds the time of the last change, in the time zone asked for', async () => {
    const utc = await exported(tableId, { columns: 'id', limit: 1, includeInternalTimestamp: 1 })
    expect(utc).toMatch(/^"1","\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"\n$/)
    const kolkata = await exported(tableId, {
      columns: 'id',
      limit: 1,
      includeInternalTimestamp: true,
      timezone: 'Asia/Kolkata',
    })
    const seconds = (line: string) => Date.parse(`${line.split('"')[3]?.replace(' ', 'T')}Z`) / 1000
    expect(seconds(kolkata) - seconds(utc)).toBe(5.5 * 3600)
  })

  it('writes one empty slice for a table without rows', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n')
    const { body: job } = await submit(id, { gzip: 1 })
    const slices = await download(job.results.file.id)
    expect(slices.map(slice => gunzipSync(slice).toString())).toEqual([''])
    expect(await exported(id)).toBe('')
    expect(await exported(id, { orderBy: [{ column: 'id' }] })).toBe('')
  })

  it('writes Parquet', async () => {
    const { body: job } = await submit(tableId, { fileType: 'parquet', gzip: 1 })
    const { body: file } = await service.call('GET', `/v2/storage/files/${job.results.file.id}`)
    expect(file.fileType).toBe('parquet')
    const [slice] = await download(file.id)
    expect(slice?.subarray(0, 4).toString()).toBe('PAR1')
    expect(slice?.subarray(-4).toString()).toBe('PAR1')
  })

  it.each([
    ['an unknown column', { columns: 'nope' }, 400, 'storage.tables.validation.columnNotExists'],
    [
      'an unknown column to order by',
      { orderBy: [{ column: 'x' }] },
      400,
      'storage.tables.validation.columnNotExists',
    ],
    ['a filter without values', { whereFilters: [{ column: 'id' }] }, 400, 'storage.tables.validation'],
    [
      'an unknown operator',
      { whereFilters: [{ column: 'id', operator: 'like', values: ['1'] }] },
      400,
      'storage.tables.validation',
    ],
    ['no time', { changedSince: 'soon' }, 400, 'storage.tables.validation'],
    ['an unknown file type', { fileType: 'xlsx' }, 400, 'storage.tables.validation'],
    ['an unknown time zone', { timezone: 'Mars/Phobos' }, 400, 'storage.tables.validation'],
    ['an offset for a time zone', { timezone: '+02:00' }, 400, 'storage.tables.validation'],
    ['an unknown format', { format: 'xml' }, 400, 'storage.tables.validation.invalidFormat'],
    ['a format of old', { format: 'raw' }, 501, 'notImplemented'],
    ['two formats', { format: 'json', fileType: 'parquet' }, 400, 'storage.tables.validation.invalidFormat'],
    [
      'a search together with filters',
      { fulltextSearch: 'a', whereFilters: [{ column: 'id', values: ['1'] }] },
      400,
      'storage.tables.validation',
    ],
  ])('refuses %s', async (_, body, status, code) => {
    const reply = await submit(tableId, body)
    expect([reply.status, reply.body.code]).toEqual([status, code])
  })

  it('refuses a table that is not there', async () => {
    const { status, body } = await submit(`${bucketId}.nope`)
    expect([status, body.code]).toEqual([404, 'storage.tables.notFound'])
  })
})

describe('the same export of an unchanged table', () => {
  it('is the same file, which notes all runs', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n')
    const first = (await submit(id, { columns: ['id'] }, { 'X-KBC-RunId': 'a' })).body
    const second = (await submit(id, { columns: ['id'] }, { 'X-KBC-RunId': 'b' })).body
    expect(first.results.cacheHit).toBe(false)
    expect(second.results).toEqual({ file: first.results.file, cacheHit: true })
    const { body: file } = await service.call('GET', `/v2/storage/files/${first.results.file.id}`)
    expect(file).toMatchObject({ runId: 'a', runIds: ['a', 'b'] })
  })

  it('is made again with other parameters, after a change of the table, and when the file was deleted', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n')
    const fileOf = async (body: Record<string, unknown> = {}) => (await submit(id, body)).body.results
    const first = await fileOf()
    expect((await fileOf({ gzip: true })).cacheHit).toBe(false)
    expect(await fileOf()).toEqual({ ...first, cacheHit: true })
    await service.call('DELETE', `/v2/storage/files/${first.file.id}`)
    const second = await fileOf()
    expect(second.cacheHit).toBe(false)
    await load(id, { dataFileId: await service.upload('id\n2\n') })
    const third = await fileOf()
    expect(third).toEqual({ file: { id: expect.any(Number) }, cacheHit: false })
    expect((await download(third.file.id)).join('')).toBe('"2"\n')
  })
})

describe('the credentials of an exported file', () => {
  it('list its slices and nothing else', async () => {
    const { body: job } = await submit(tableId)
    const { body: file } = await service.call(
      'GET',
      `/v2/storage/files/${job.results.file.id}?federationToken=1`,
    )
    const { AccessKeyId, SecretAccessKey, SessionToken } = file.credentials
    const s3 = new S3Client({
      endpoint: service.s3Endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
    })
    const { bucket, key } = file.s3Path
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: key }))
    expect(Contents.map(({ Key }) => Key?.slice(key.length))).toEqual(['_0_0_0.csv', 'manifest'])
    await expect(
      s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'exp-2/' })),
    ).rejects.toMatchObject({
      name: 'AccessDenied',
    })
    s3.destroy()
  })
})
