import { describe, expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, load, detail, rowsOf } = await startTableRoutes()

const newTable = (content: string, settings: Record<string, unknown> = {}) =>
  service.createTable(bucketId, newName(), content, settings)

const send = (method: string, tableId: string, rest: string, body?: unknown) =>
  service.call(method, `/v2/storage/tables/${tableId}${rest}`, body)

const refusal = async (reply: Promise<{ status: number; body: { code: string } }>) => {
  const { status, body } = await reply
  return [status, body.code]
}

describe('POST tables/{id}/columns', () => {
  it('adds a column, empty in every row', async () => {
    const id = await newTable('id\n1\n2\n')
    const { status, body: job } = await send('POST', id, '/columns', { name: 'city' })
    expect([status, job.operationName, job.status, job.tableId]).toEqual([
      202,
      'tableColumnAdd',
      'success',
      id,
    ])
    expect((await detail(id)).columns).toEqual(['id', 'city'])
    expect(await rowsOf(id)).toEqual(['"1",""', '"2",""'])
  })

  it('fails when the column came in the meantime', async () => {
    const id = await newTable('id\n')
    const replies = await Promise.all([1, 2].map(() => send('POST', id, '/columns', { name: 'x' })))
    const errors = replies.map(({ body }) => body.error?.code ?? body.code)
    expect(errors.toSorted()).toEqual(['storage.tables.columnAlreadyExists', undefined])
  })
})

describe('DELETE tables/{id}/columns/{name}', () => {
  it('deletes a column with its values, which a new column of its name does not have', async () => {
    const id = await newTable('id,a,b\n1,x,y\n')
    const { status, body: job } = await send('DELETE', id, '/columns/a')
    expect([status, job.operationName, job.status]).toEqual([202, 'tableColumnDelete', 'success'])
    expect((await detail(id)).columns).toEqual(['id', 'b'])
    expect(await rowsOf(id)).toEqual(['"1","y"'])
    await send('POST', id, '/columns', { name: 'a' })
    expect(await rowsOf(id)).toEqual(['"1","y",""'])
  })

  it('refuses a column of the primary key, one that is not there, and the last', async () => {
    const id = await newTable('id,a\n', { primaryKey: 'id' })
    expect(await refusal(send('DELETE', id, '/columns/id'))).toEqual([
      400,
      'storage.tables.cannotDeletePrimaryKeyColumn',
    ])
    expect(await refusal(send('DELETE', id, '/columns/none'))).toEqual([
      404,
      'storage.tables.columns.notFound',
    ])
    const single = await newTable('id\n')
    expect(await refusal(send('DELETE', single, '/columns/id'))).toEqual([
      400,
      'storage.tables.cannotDeleteLastColumn',
    ])
  })
})

describe('the primary key of a table', () => {
  it('is added, used by loads, and deleted again', async () => {
    const id = await newTable('a,b\n1,x\n2,y\n')
    const { status, body: job } = await send('POST', id, '/primary-key', { columns: ['a'] })
    expect([status, job.operationName, job.status]).toEqual([202, 'tablePrimaryKeyAdd', 'success'])
    expect((await detail(id)).primaryKey).toEqual(['a'])
    await load(id, { dataFileId: await service.upload('a,b\n1,z\n'), incremental: 1 })
    expect(await rowsOf(id)).toEqual(['"1","z"', '"2","y"'])
    const dropped = await send('DELETE', id, '/primary-key')
    expect([dropped.status, dropped.body.operationName]).toEqual([202, 'tablePrimaryKeyDelete'])
    expect((await detail(id)).primaryKey).toEqual([])
    expect((await send('DELETE', id, '/primary-key')).body.status).toBe('success')
  })

  it('is refused where rows have the same values', async () => {
    const id = await newTable('a,b\n1,x\n1,y\n')
    const { body } = await send('POST', id, '/primary-key', { columns: ['a'] })
    expect(body).toMatchObject({
      status: 'error',
      error: { code: 'storage.tables.primaryKeyDuplicateValues' },
    })
    expect((await detail(id)).primaryKey).toEqual([])
    expect((await send('POST', id, '/primary-key', { columns: ['a', 'b'] })).body.status).toBe('success')
  })

  it.each([
    ['unknown columns', { columns: ['x'] }, 'storage.validation.primaryKey'],
    ['no columns', { columns: [] }, 'storage.validation.primaryKey'],
    ['nothing at all', {}, 'storage.validation.primaryKey'],
    ['something else', { columns: { a: 1 } }, 'storage.validation.primaryKey'],
  ])('is refused of %s', async (_, body, code) => {
    const id = await newTable('a,b\n')
    expect(await refusal(send('POST', id, '/primary-key', body))).toEqual([400, code])
  })

  it('is refused where there is one', async () => {
    const id = await newTable('a,b\n', { primaryKey: 'a' })
    expect(await refusal(send('POST', id, '/primary-key', { columns: ['b'] }))).toEqual([
      400,
      'storage.tables.primaryKeyAlreadyExists',
    ])
  })
})

describe('DELETE tables/{id}/rows', () => {
  const content = 'id,n\n1,5\n2,10\n3,\n4,none\n'
  it.each([
    ['a condition in the query', '?whereColumn=id&whereValues[]=1&whereValues[]=2', undefined, ['3', '4']],
    ['a condition in the body', '', { whereColumn: 'id', whereOperator: 'ne', whereValues: ['1'] }, ['1']],
    [
      'a comparison of numbers, which texts that are none do not meet',
      '',
      { whereFilters: [{ column: 'n', operator: 'lt', values: ['10'], dataType: 'INTEGER' }] },
      ['2', '3', '4'],
    ],
    ['a time', '?changedSince=-2%20days', undefined, []],
    ['a time that nothing changed before', '?changedUntil=-2%20days', undefined, ['1', '2', '3', '4']],
    ['the wish to truncate', '?allowTruncate=1', undefined, []],
  ])('deletes what matches %s', async (_, query, body, left) => {
    const id = await newTable(content)
    const { status, body: job } = await send('DELETE', id, `/rows${query}`, body)
    expect([status, job.operationName, job.status]).toEqual([202, 'tableRowsDelete', 'success'])
    expect(job.results).toEqual({ deletedRows: 4 - left.length })
    expect((await rowsOf(id)).map(row => row.split('"')[1] ?? '').filter(Boolean)).toEqual(left)
    expect((await detail(id)).rowsCount).toBe(left.length)
  })

  it('leaves the timestamps of the rows that stay', async () => {
    const id = await newTable('id\n1\n2\n')
    const since = Math.floor(Date.now() / 1000) + 1
    await new Promise(resolve => setTimeout(resolve, 1100))
    await send('DELETE', id, '/rows?whereColumn=id&whereValues[]=1')
    const { text } = await send('GET', id, `/data-preview?changedSince=${since}`)
    expect(text).toBe('"id"\n')
    expect(await rowsOf(id)).toEqual(['"2"'])
  })

  it.each([
    ['no condition', '', 'storage.tables.validation.unintendedTruncation'],
    [
      'no condition and no wish to truncate',
      '?allowTruncate=0',
      'storage.tables.validation.unintendedTruncation',
    ],
    ['an unknown column', '?whereColumn=x&whereValues[]=1', 'storage.tables.columnNotExists'],
    ['no values', '?whereColumn=id', 'validation.failed'],
  ])('refuses %s', async (_, query, code) => {
    const id = await newTable(content)
    expect(await refusal(send('DELETE', id, `/rows${query}`))).toEqual([400, code])
  })

  it.each([
    { whereFilters: [{ column: 'id', operator: 'ne', values: [] }] },
    { whereColumn: 'id', whereOperator: 'ne', whereValues: [] },
  ])('takes %j, which no row fails, for no condition', async body => {
    const id = await newTable(content)
    const code = 'storage.tables.validation.unintendedTruncation'
    expect(await refusal(send('DELETE', id, '/rows', body))).toEqual([400, code])
    expect((await send('DELETE', id, '/rows?allowTruncate=1', body)).body.results).toEqual({ deletedRows: 4 })
  })
})

describe('PUT tables/{id}', () => {
  it('changes the name that people see', async () => {
    const id = await newTable('id\n')
    const displayName = newName()
    const { status, body } = await send('PUT', id, '', { displayName })
    expect([status, body.id, body.displayName]).toEqual([200, id, displayName])
    const other = newName()
    const { body: job } = await send('PUT', id, '?async=1', { displayName: other })
    expect(job).toMatchObject({
      operationName: 'tableUpdate',
      status: 'success',
      results: { id, displayName: other },
    })
  })

  it('refuses a name that another table of the bucket shows, and names with other characters', async () => {
    const taken = await newTable('id\n')
    const id = await newTable('id\n')
    const displayName = taken.split('.').at(-1)
    expect(await refusal(send('PUT', id, '', { displayName }))).toEqual([
      400,
      'storage.buckets.tableAlreadyExists',
    ])
    expect(await refusal(send('PUT', id, '', { displayName: '_x' }))).toEqual([
      400,
      'storage.tables.validation',
    ])
    expect(await refusal(send('PUT', id, '', { displayName: '' }))).toEqual([
      400,
      'storage.tables.validation',
    ])
  })
})

describe('POST buckets/{id}/tables-definition', () => {
  const define = (body: unknown) =>
    service.call('POST', `/v2/storage/buckets/${bucketId}/tables-definition`, body)

  it('creates an empty table that keeps its definition', async () => {
    const name = newName()
    const { status, body: job } = await define({
      name,
      primaryKeysNames: ['id'],
      columns: [
        { name: 'id', definition: { type: 'number', length: '38,0', nullable: false }, basetype: 'NUMERIC' },
        { name: 'born', basetype: 'DATE' },
        { name: 'note' },
      ],
    })
    expect([status, job.operationName, job.status]).toEqual([202, 'tableDefinitionCreate', 'success'])
    const table = await detail(`${bucketId}.${name}`)
    // The detail alone has metadata: of the bucket, and what follows from the types.
    const { bucket, metadata, columnMetadata } = job.results
    expect({ ...table, bucket, metadata, columnMetadata }).toEqual(job.results)
    expect(table).toMatchObject({
      isTyped: true,
      primaryKey: ['id'],
      columns: ['id', 'born', 'note'],
      rowsCount: 0,
      lastImportDate: null,
      definition: {
        primaryKeysNames: ['id'],
        columns: [
          {
            name: 'born',
            definition: { type: 'DATE', nullable: true },
            basetype: 'DATE',
            canBeFiltered: true,
          },
          {
            name: 'id',
            definition: { type: 'NUMBER', length: '38,0', nullable: false },
            basetype: 'INTEGER',
            canBeFiltered: true,
          },
          {
            name: 'note',
            definition: { type: 'VARCHAR', length: '16777216', nullable: true },
            basetype: 'STRING',
            canBeFiltered: true,
          },
        ],
      },
    })
  })

  it('takes imports and further columns', async () => {
    const name = newName()
    await define({ name, columns: [{ name: 'id', basetype: 'INTEGER' }] })
    const id = `${bucketId}.${name}`
    await send('POST', id, '/columns', { name: 'at', basetype: 'TIMESTAMP' })
    const job = (await load(id, { dataFileId: await service.upload('id,at,x\n1,2026-11-21,3\n') })).body
    expect(job.status).toBe('success')
    const { definition } = await detail(id)
    expect(definition.columns.map((column: { basetype: string }) => column.basetype)).toEqual([
      'TIMESTAMP',
      'INTEGER',
      'STRING',
    ])
    expect(await rowsOf(id)).toEqual(['"1","2026-11-21 00:00:00.000","3"'])
  })

  it.each([
    ['no columns', { columns: [] }, 'storage.tables.validation.noColumns'],
    ['a bad name of a column', { columns: [{ name: '💰' }] }, 'storage.tables.validation.invalidColumnName'],
    [
      'a column twice',
      { columns: [{ name: 'a' }, { name: 'A' }] },
      'storage.tables.validation.invalidColumnName',
    ],
    [
      'a key of other columns',
      { columns: [{ name: 'a' }], primaryKeysNames: ['b'] },
      'storage.tables.validation.invalidPrimaryKeyColumns',
    ],
    ['an unknown base type', { columns: [{ name: 'a', basetype: 'TEXT' }] }, 'storage.tables.validation'],
  ])('refuses %s', async (_, body, code) => {
    expect(await refusal(define({ name: newName(), ...body }))).toEqual([400, code])
  })
})
