import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()
const bucketId = await target.createBucket('forms')
const dataFileId = await target.upload('id,name\n1,a\n2,b\n3,c\n')
const created = await target.job('POST', `buckets/${bucketId}/tables-async`, { name: 'rows', dataFileId })
const tableId = created.results.id

/** A form as the PHP client sends it: parts with a length and no type, nulls as empty parts, the file last. */
const multipart = (method: string, path: string, fields: Record<string, string>, data?: string) => {
  const boundary = 'c3f9a1d07b5e4f2a'
  const part = (name: string, value: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n` +
    `Content-Length: ${Buffer.byteLength(value)}\r\n\r\n${value}\r\n`
  const parts = Object.entries(fields).map(([name, value]) => part(name, value))
  const file = data === undefined ? '' : part('data', data, '; filename="data.csv"')
  return target.send(`${target.url}/v2/storage/${path}`, {
    method,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join('')}${file}--${boundary}--\r\n`,
  })
}

/** A form as the Python client sends it: names as they are, `None` left out, lists by repeating the name. */
const form = (method: string, path: string, body: string) =>
  target.send(`${target.url}/v2/storage/${path}`, {
    method,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  })

const rowsOf = async (id: string): Promise<string[]> =>
  (await target.call('GET', `tables/${id}/data-preview`)).text.trimEnd().split('\n').slice(1).toSorted()

describe('a multipart form of the PHP client', () => {
  const unset = { primaryKey: '', columns: '', transactional: '', syntheticPrimaryKeyEnabled: '' }
  const csv = { delimiter: ',', enclosure: '"', escapedBy: '' }

  it('creates a table whose other options are empty parts', async () => {
    const { status, body } = await multipart(
      'POST',
      `buckets/${bucketId}/tables`,
      { name: 'sync', ...csv, ...unset },
      'id,name\n1,"a, b"\n',
    )
    expect(status).toBe(201)
    expect(body).toMatchObject({ id: `${bucketId}.sync`, primaryKey: [], columns: ['id', 'name'] })
    expect(await rowsOf(body.id)).toEqual(['"1","a, b"'])
  })

  it('imports, with `false` as an empty part and `true` as 1', async () => {
    const { body: table } = await multipart(
      'POST',
      `buckets/${bucketId}/tables`,
      { name: 'imported', ...csv, ...unset },
      'id\n1\n',
    )
    const load = (incremental: string, data: string) =>
      multipart(
        'POST',
        `tables/${table.id}/import`,
        {
          ...csv,
          incremental,
          columns: '',
          withoutHeaders: '',
          ignoredLinesCount: '',
          treatValuesAsNull: '',
        },
        data,
      )
    expect(await load('1', 'id\n2\n')).toMatchObject({ status: 200, body: { totalRowsCount: 2 } })
    expect(await load('', 'id\n3\n')).toMatchObject({
      status: 200,
      body: { warnings: [], transaction: null, importedColumns: ['id'], totalRowsCount: 1 },
    })
    expect(await rowsOf(table.id)).toEqual(['"3"'])
  })

  it('has no enclosure when both enclosure and escape character are empty', async () => {
    const { status, body } = await multipart(
      'POST',
      `buckets/${bucketId}/tables`,
      { name: 'bare', delimiter: '|', enclosure: '', escapedBy: '', ...unset },
      'id|name\n1|"a\n',
    )
    expect(status).toBe(201)
    expect(await rowsOf(body.id)).toEqual(['"1","""a"'])
  })

  it('never takes the word for a PHP array as a column', async () => {
    const reply = await multipart(
      'POST',
      `buckets/${bucketId}/tables`,
      { name: 'array', ...csv, columns: 'Array' },
      'id\n1\n',
    )
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.validation', errors: [{ key: 'columns' }] },
    })
  })

  it('still refuses an empty part of a required field', async () => {
    const reply = await multipart('POST', 'files/prepare', { name: '', federationToken: '1' })
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ key: 'name' }] } })
  })
})

describe('JSON of the PHP client', () => {
  it('creates a table with every unset option as null', async () => {
    const dataFileId = await target.upload('id|name\n1|a\n')
    const job = await target.job('POST', `buckets/${bucketId}/tables-async`, {
      bucketId,
      name: 'nulls',
      delimiter: '|',
      enclosure: '',
      escapedBy: '',
      primaryKey: null,
      transactional: false,
      columns: null,
      syntheticPrimaryKeyEnabled: null,
      distributionKey: null,
      dataFileId,
    })
    expect(job).toMatchObject({ status: 'success', results: { columns: ['id', 'name'] } })
  })

  it('reads a list with gaps, which PHP writes as an object', async () => {
    const { status, body: file } = await target.call('POST', 'files/prepare', {
      name: 'gaps.csv',
      federationToken: true,
      tags: { 0: 'first', 12: 'second', 3: 'middle' },
    })
    expect(status).toBe(201)
    expect(file.tags).toEqual(['first', 'middle', 'second'])

    const { text } = await target.call(
      'GET',
      `tables/${tableId}/data-preview?whereFilters[4][column]=id&whereFilters[4][values][7]=2`,
    )
    expect(text).toBe('"id","name"\n"2","b"\n')
    const deleted = await target.job('DELETE', `tables/${tableId}/rows`, {
      whereFilters: { 1: { column: 'id', operator: 'eq', values: { 2: '3' } } },
    })
    expect(deleted.status).toBe('success')
    expect(await rowsOf(tableId)).toEqual(['"1","a"', '"2","b"'])

    const metadata = await target.call('POST', `tables/${tableId}/metadata`, {
      provider: 'user',
      metadata: { 1: { key: 'a', value: '1' }, 5: { key: 'b', value: '2' } },
    })
    expect(metadata).toMatchObject({ status: 201, body: { metadata: [{ key: 'a' }, { key: 'b' }] } })
  })

  it('reads {} as an empty list', async () => {
    const dataFileId = await target.upload('id\n1\n')
    const job = await target.job('POST', `buckets/${bucketId}/tables-async`, {
      name: 'emptyLists',
      dataFileId,
      columns: {},
      treatValuesAsNull: {},
    })
    expect(job.results.columns).toEqual(['id'])
  })
})

describe('a form of the Python client', () => {
  it.each(['false', 'False', '0', ''])('reads incremental=%s as no', async word => {
    const first = await target.job('POST', `buckets/${bucketId}/tables-async`, {
      name: `words_${word || 'empty'}${word === 'False' ? '2' : ''}`,
      dataFileId: await target.upload('id\n1\n'),
    })
    const { id } = first.results
    const dataFileId = await target.upload('id\n2\n')
    const { status, body } = await form(
      'POST',
      `tables/${id}/import-async`,
      `dataFileId=${dataFileId}&delimiter=%2C&enclosure=%22&escapedBy=&columns=&incremental=${word}&withoutHeaders=false`,
    )
    expect(status).toBe(202)
    await awaitJob(body.id)
    expect(await rowsOf(id)).toEqual(['"2"'])
  })

  it('updates a trigger with one table, and with several, by repeating the name', async () => {
    const { body: token } = await target.call('GET', 'tokens/verify')
    const trigger = await target.call('POST', 'triggers', {
      runWithTokenId: Number(token.id),
      component: 'keboola.ex-generic-v2',
      configurationId: '1',
      coolDownPeriodMinutes: 10,
      tableIds: [`${bucketId}.sync`, tableId],
    })
    expect(trigger.status).toBe(201)
    const update = (body: string) => form('PUT', `triggers/${trigger.body.id}`, body)
    try {
      expect((await update(`tableIds=${tableId}`)).body.tables).toEqual([{ tableId }])
      const both = await update(`tableIds=${bucketId}.sync&tableIds=${tableId}&coolDownPeriodMinutes=20`)
      expect(both.body).toMatchObject({
        tables: [{ tableId: `${bucketId}.sync` }, { tableId }],
        coolDownPeriodMinutes: 20,
      })
      expect((await update(`tableIds[]=${tableId}`)).body.tables).toEqual([{ tableId }])
    } finally {
      await target.call('DELETE', `triggers/${trigger.body.id}`)
    }
  })

  it('reads names that nest by index', async () => {
    const set = await form(
      'POST',
      `tables/${tableId}/metadata`,
      'provider=user&metadata[0][key]=x&metadata[0][value]=1&metadata[1][key]=y&metadata[1][value]=2',
    )
    expect(set.status).toBe(201)
    expect(set.body).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ key: 'y', value: '2' })]),
    )

    const years = await target.job('POST', `buckets/${bucketId}/tables-async`, {
      name: 'years',
      dataFileId: await target.upload('id,2024\n1,a\n'),
    })
    const ofColumn = 'columnsMetadata[2024][0][key]=unit&columnsMetadata[2024][0][value]=EUR'
    await form('POST', `tables/${years.results.id}/metadata`, `provider=user&${ofColumn}`)
    const { body: detail } = await target.call('GET', `tables/${years.results.id}`)
    expect(detail.columnMetadata).toMatchObject({ 2024: [{ key: 'unit', value: 'EUR' }] })

    const exported = await form(
      'POST',
      `tables/${tableId}/export-async`,
      'whereFilters[0][column]=id&whereFilters[0][operator]=eq&whereFilters[0][values][0]=1&whereFilters[0][values][1]=9' +
        '&orderBy[0][column]=id&orderBy[0][order]=DESC&columns[0]=name',
    )
    const { results } = await awaitJob(exported.body.id)
    expect(Buffer.concat(await target.downloadSlices(results.file.id)).toString()).toBe('"a"\n')

    const token = await form(
      'POST',
      'tokens',
      `description=nested&bucketPermissions[${bucketId}]=read&componentAccess[0]=keboola.ex-generic-v2&canReadAllFileUploads=False&expiresIn=60`,
    )
    expect(token.body).toMatchObject({
      bucketPermissions: { [bucketId]: 'read' },
      componentAccess: ['keboola.ex-generic-v2'],
      canReadAllFileUploads: false,
    })
    await target.call('DELETE', `tokens/${token.body.id}`)
  })
})

/** As a JavaScript client sends everything: JSON as the type of each request, `{}` as the body of a delete. */
const asJavaScript = (method: string, path: string) =>
  target.send(`${target.url}/v2/storage/${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'X-StorageAPI-Token': target.token },
    ...(method !== 'GET' && { body: '{}' }),
  })

describe('a query of a Python or JavaScript client', () => {
  it('repeats the name of a list, and none of the values is lost', async () => {
    const dataFileId = await target.upload('id,name\n1,a\n2,b\n3,c\n')
    const created = await target.job('POST', `buckets/${bucketId}/tables-async`, { name: 'some', dataFileId })
    const table = `tables/${created.results.id}`
    const names = 'whereColumn=id&whereValues=1&whereValues=3'
    const { status, text } = await asJavaScript('GET', `${table}/data-preview?${names}`)
    expect([status, text.trimEnd().split('\n').slice(1).toSorted()]).toEqual([200, ['"1","a"', '"3","c"']])
    const columns = await asJavaScript('GET', `${table}/data-preview?columns=name&columns=id&limit=1`)
    expect(columns.text.split('\n')[0]).toBe('"name","id"')
    const { body } = await asJavaScript('DELETE', `${table}/rows?${names}`)
    await awaitJob(body.id)
    expect(await rowsOf(created.results.id)).toEqual(['"2","b"'])
  })

  it('has the last value of a field that is no list', async () => {
    const { text } = await asJavaScript('GET', `tables/${tableId}/data-preview?limit=3&limit=1`)
    expect(text.trimEnd().split('\n')).toHaveLength(2)
  })
})

const awaitJob = async (id: number) => {
  for (;;) {
    const { body } = await target.call('GET', `jobs/${id}`)
    if (body.status === 'success') return body
    if (body.status === 'error') throw new Error(JSON.stringify(body.error))
  }
}
