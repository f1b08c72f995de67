import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, detail, rowsOf } = await startTableRoutes()

const post = (path: string, body: FormData | URLSearchParams) =>
  service.fetchReply(
    new Request(`http://storage.test${path}`, {
      method: 'POST',
      headers: { 'X-StorageApi-Token': service.token },
      body,
    }),
  )

const form = (
  fields: Record<string, string>,
  data?: string | Uint8Array<ArrayBuffer>,
  fileName = 'data.csv',
) => {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  if (data !== undefined) body.append('data', new Blob([data]), fileName)
  return body
}

const tables = `/v2/storage/buckets/${bucketId}/tables`

describe('POST buckets/{id}/tables', () => {
  it('creates a table from the file of the form', async () => {
    const name = newName()
    const { status, body } = await post(tables, form({ name, primaryKey: 'id' }, 'id,a\n1,x\n'))
    expect(status).toBe(201)
    expect(body).toMatchObject({ id: `${bucketId}.${name}`, primaryKey: ['id'], rowsCount: 1 })
    // The detail also has the bucket's metadata.
    expect(await detail(body.id)).toEqual({ ...body, bucket: { ...body.bucket, metadata: [] } })
  })

  it('creates a table from text in a field, with columns and a dialect', async () => {
    const name = newName()
    const fields = new URLSearchParams({ name, dataString: "'1'\t'x'\n", delimiter: '\\t', enclosure: "'" })
    fields.append('columns[]', 'id')
    fields.append('columns[]', 'a')
    const { status, body } = await post(tables, fields)
    expect([status, body.columns]).toEqual([201, ['id', 'a']])
    expect(await rowsOf(body.id)).toEqual(['"1","x"'])
  })

  it('takes JSON too', async () => {
    const { status, body } = await service.call('POST', tables, { name: newName(), dataString: 'id\n1\n' })
    expect([status, body.rowsCount]).toEqual([201, 1])
  })

  it('fails as the job does', async () => {
    const name = newName()
    const { status, body } = await post(tables, form({ name }, 'a,b\n1\n'))
    expect([status, body.status]).toEqual([400, 'error'])
    expect(body.error).toMatch(/^Load error:/)
    expect((await service.call('GET', `/v2/storage/tables/${bucketId}.${name}`)).status).toBe(404)
  })

  it('needs data and a name', async () => {
    expect((await post(tables, form({ name: newName() }))).body.code).toBe('storage.tables.validation')
    expect((await post(tables, form({}, 'a\n'))).body.code).toBe('storage.tables.validation')
  })
})

describe('POST tables/{id}/import', () => {
  it('loads the file of the form and answers what was imported', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n')
    const { status, body } = await post(
      `/v2/storage/tables/${id}/import`,
      form({ incremental: '1' }, 'id\n2\n3\n'),
    )
    expect([status, body]).toEqual([
      200,
      {
        warnings: [],
        importedColumns: ['id'],
        totalRowsCount: 3,
        totalDataSizeBytes: expect.any(Number),
        importedRowsCount: 2,
        replacedRowsCount: 0,
        transaction: null,
        timers: [{ name: 'load', durationSeconds: expect.any(Number) }],
      },
    ])
  })

  it('fails with what helps to correct the file', async () => {
    const id = await service.createTable(bucketId, newName(), 'id,a\n1,2\n')
    const { status, body } = await post(`/v2/storage/tables/${id}/import`, form({}, 'id\n2\n'))
    expect([status, body.code]).toEqual([400, 'csvImport.columnsNotMatch'])
    expect(body.contextParams).toMatchObject({ missingColumns: ['a'], expectedColumns: ['id', 'a'] })
  })

  it('does not read the body for a table that is not there', async () => {
    const { status } = await post(`/v2/storage/tables/${bucketId}.none/import`, form({}, 'id\n2\n'))
    expect(status).toBe(404)
  })
})

describe('POST /write-table', () => {
  it('loads a compressed file into the table that the form names', async () => {
    const id = await service.createTable(bucketId, newName(), 'id,a\n1,x\n', { primaryKey: 'id' })
    const data = gzipSync('id;a\n1;y\n2;z\n')
    const fields = { tableId: id, delimiter: ';', incremental: '1' }
    const { status, body } = await post('/write-table', form(fields, new Uint8Array(data), 'data.csv.gz'))
    expect([status, body.totalRowsCount]).toEqual([200, 2])
    expect(await rowsOf(id)).toEqual(['"1","y"', '"2","z"'])
  })

  it.each([
    ['no file', form({ tableId: 'in.c-main.t' }), 400, 'storage.validation'],
    ['no table', form({}, 'id\n'), 400, 'storage.tables.validation'],
    [
      'a table that is not there',
      form({ tableId: 'in.c-main.none' }, 'id\n'),
      404,
      'storage.tables.notFound',
    ],
  ])('refuses %s', async (_, body, status, code) => {
    const reply = await post('/write-table', body)
    expect([reply.status, reply.body.code]).toEqual([status, code])
  })

  it('needs a token', async () => {
    const { status } = await service.fetchReply(
      new Request('http://storage.test/write-table', { method: 'POST', body: form({}, 'id\n') }),
    )
    expect(status).toBe(401)
  })
})

describe('options of an import that are not there', () => {
  it('are refused rather than passed over', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n', { primaryKey: 'id' })
    const dataFileId = await service.upload('id\n1\n')
    const codeOf = async (options: Record<string, unknown>) => {
      const path = `/v2/storage/tables/${id}/import-async`
      return (await service.call('POST', path, { dataFileId, ...options })).body.code
    }
    expect(await codeOf({ useTimestampFromDataFile: true })).toBe('notImplemented')
    expect(await codeOf({ dataFileId: undefined, snapshotId: 1 })).toBe('notImplemented')
    expect(await codeOf({ deduplicationStrategy: 'insert' })).toBe('notImplemented')
    expect(await codeOf({ deduplicationStrategy: 'merge' })).toBe('storage.tables.validation')
    expect(await codeOf({ deduplicationStrategy: 'upsert' })).toBeUndefined()
  })
})
