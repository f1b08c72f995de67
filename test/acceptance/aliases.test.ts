import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const people = 'id,name,city,sex\n1,martin,PRG,male\n2,klara,PRG,female\n3,ondra,VAN,male\n'

let target: Awaited<ReturnType<typeof connectTarget>>
let sourceBucket: string
let aliasBucket: string
beforeAll(async () => {
  target = await connectTarget()
  sourceBucket = await target.createBucket('sources')
  aliasBucket = await target.createBucket('aliases')
})
afterAll(() => target.close())

let names = 0
const createTable = async (content = people, settings: object = {}): Promise<string> => {
  const dataFileId = await target.upload(content)
  const body = { name: `t${++names}`, dataFileId, primaryKey: 'id', ...settings }
  return (await target.job('POST', `buckets/${sourceBucket}/tables-async`, body)).results.id
}
const sendAlias = (sourceTable: string, settings: object = {}) =>
  target.call('POST', `buckets/${aliasBucket}/table-aliases`, {
    sourceTable,
    name: `a${++names}`,
    ...settings,
  })
const createAlias = async (sourceTable: string, settings: object = {}): Promise<string> => {
  const { status, body, text } = await sendAlias(sourceTable, settings)
  if (status !== 201) throw new Error(text)
  return body.id
}
const detail = async (id: string) => (await target.call('GET', `tables/${id}`)).body
const preview = async (id: string, query = ''): Promise<string[]> =>
  (await target.call('GET', `tables/${id}/data-preview${query}`)).text.trimEnd().split('\n')
const exported = async (id: string, body: object = {}) => {
  const { results } = await target.job('POST', `tables/${id}/export-async`, body)
  const text = Buffer.concat(await target.downloadSlices(results.file.id)).toString()
  return { lines: text.trimEnd().split('\n').filter(Boolean).toSorted(), ...results }
}
const load = async (id: string, content: string, settings: object = {}) =>
  target.job('POST', `tables/${id}/import-async`, {
    dataFileId: await target.upload(content),
    ...settings,
  })

describe('a simple alias', () => {
  it('shows its source, and is shown as a table everywhere', async () => {
    const sourceId = await createTable()
    const { status, body } = await sendAlias(sourceId, { name: null })
    const source = await detail(sourceId)
    expect(status).toBe(201)
    const name = sourceId.split('.').at(-1)
    expect(body).toMatchObject({ id: `${aliasBucket}.${name}`, name, displayName: name })
    const alias = await detail(body.id)
    const { columns, primaryKey, lastImportDate, lastChangeDate, rowsCount, dataSizeBytes } = source
    expect(alias).toMatchObject({
      ...{ columns, primaryKey, lastImportDate, lastChangeDate, rowsCount, dataSizeBytes },
      isAlias: true,
      isAliasable: true,
      aliasColumnsAutoSync: true,
      sourceTable: {
        id: sourceId,
        uri: source.uri,
        name,
        project: { id: expect.any(Number), name: expect.any(String) },
      },
      bucket: { id: aliasBucket },
    })
    expect(alias).not.toHaveProperty('aliasFilter')
    expect(source).not.toHaveProperty('sourceTable')
    expect(await preview(alias.id)).toEqual(await preview(sourceId))

    const inBucket = (await target.call('GET', `buckets/${aliasBucket}/tables?include=columns`)).body
    const listed = inBucket.find(({ id }: { id: string }) => id === alias.id)
    expect(listed).toMatchObject({ isAlias: true, columns, sourceTable: { id: sourceId } })
    const { body: found } = await target.call('GET', `global-search?query=${name}&types[]=table`)
    expect(found.items.map(({ id }: { id: string }) => id)).toContain(alias.id)
    // Its bucket has no rows of its own.
    const { body: bucket } = await target.call('GET', `buckets/${aliasBucket}`)
    expect(bucket).toMatchObject({ rowsCount: 0, dataSizeBytes: 0 })
  })

  it('follows imports, new columns and deleted ones, through any number of aliases', async () => {
    const sourceId = await createTable()
    const first = await createAlias(sourceId)
    const second = await createAlias(first)
    const third = await createAlias(second)
    await load(sourceId, 'id,name,city,sex,age\n7,eva,BRN,female,30\n')
    const source = await detail(sourceId)
    for (const id of [first, second, third]) {
      const { columns, rowsCount, lastImportDate } = await detail(id)
      expect({ columns, rowsCount, lastImportDate }).toEqual({
        columns: ['id', 'name', 'city', 'sex', 'age'],
        rowsCount: 1,
        lastImportDate: source.lastImportDate,
      })
    }
    expect((await detail(third)).sourceTable.id).toBe(second)
    expect(await preview(third)).toEqual(['"id","name","city","sex","age"', '"7","eva","BRN","female","30"'])
    expect(await target.call('DELETE', `tables/${sourceId}/columns/age`)).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.cannotDeleteReferencedColumn' },
    })
    const dropped = await target.job('DELETE', `tables/${sourceId}/columns/age?force=1`)
    expect(dropped.status).toBe('success')
    expect((await detail(third)).columns).toEqual(['id', 'name', 'city', 'sex'])
  })

  it('of a typed table is typed, and its source shows its definition', async () => {
    const name = `t${++names}`
    const columns = [
      { name: 'id', basetype: 'INTEGER' },
      { name: 'paid', basetype: 'BOOLEAN' },
    ]
    const path = `buckets/${sourceBucket}/tables-definition`
    const { results: source } = await target.job('POST', path, { name, primaryKeysNames: ['id'], columns })
    expect(source.definition.columns).toHaveLength(2)
    expect(await detail(await createAlias(source.id))).toMatchObject({
      isTyped: true,
      definition: source.definition,
      sourceTable: { definition: source.definition },
    })
    const { definition } = await detail(await createAlias(source.id, { aliasColumns: ['paid'] }))
    expect(definition.columns.map(({ name: column }: { name: string }) => column)).toEqual(['paid'])
  })

  it('is exported anew when its source has changed, and else not', async () => {
    const sourceId = await createTable()
    const alias = await createAlias(await createAlias(sourceId))
    const one = await exported(alias)
    expect(one.lines).toHaveLength(3)
    expect(await exported(alias)).toMatchObject({ cacheHit: true, file: one.file })
    await load(sourceId, 'id,name,city,sex\n9,new,OVA,male\n', { incremental: 1 })
    const other = await exported(alias)
    expect(other).toMatchObject({ cacheHit: false })
    expect(other.lines).toHaveLength(4)
  })

  it('refuses what needs rows of its own, and keeps metadata of its own', async () => {
    const sourceId = await createTable()
    const alias = await createAlias(sourceId)
    const dataFileId = await target.upload(people)
    const refused = [
      ['POST', `tables/${alias}/import-async`, { dataFileId }],
      ['DELETE', `tables/${alias}/rows?allowTruncate=1`, undefined],
      ['POST', `tables/${alias}/primary-key`, { columns: ['name'] }],
      ['DELETE', `tables/${alias}/primary-key`, undefined],
      ['POST', `tables/${alias}/snapshots`, {}],
      ['POST', `tables/${alias}/optimize`, {}],
    ] as const
    for (const [method, path, body] of refused)
      expect(await target.call(method, path, body)).toMatchObject({
        status: 400,
        body: { code: 'storage.tables.aliasImportNotAllowed', error: expect.stringContaining(sourceId) },
      })
    for (const [method, path, body] of [
      ['POST', `tables/${alias}/columns`, { name: 'name' }],
      ['DELETE', `tables/${alias}/columns/name`, undefined],
    ] as const)
      expect(await target.call(method, path, body)).toMatchObject({
        status: 400,
        body: { code: 'storage.tables.aliasColumnsAutoSync' },
      })
    const copy = { name: 'copy', sourceTableId: alias, timestamp: new Date().toISOString() }
    expect(await target.call('POST', `buckets/${aliasBucket}/tables-async`, copy)).toMatchObject({
      status: 400,
      body: { code: 'storage.validation.timeTravelNotSupported' },
    })
    const metadata = { provider: 'me', metadata: [{ key: 'k', value: 'v' }] }
    expect((await target.call('POST', `tables/${alias}/metadata`, metadata)).status).toBe(201)
    expect((await detail(alias)).metadata).toMatchObject([{ key: 'k', value: 'v' }])
    expect((await detail(sourceId)).metadata).toEqual([])
    const { body: renamed } = await target.call('PUT', `tables/${alias}`, { displayName: 'shown' })
    expect(renamed).toMatchObject({ id: alias, displayName: 'shown', isAlias: true })
  })
})

describe('an alias with a filter', () => {
  it('shows the rows of the filter, and the filter of a request is added to it', async () => {
    const aliasFilter = { column: 'city', values: ['PRG'], operator: '' }
    const alias = await createAlias(await createTable(), { aliasFilter })
    expect(await detail(alias)).toMatchObject({
      aliasFilter: { column: 'city', operator: 'eq', values: ['PRG'] },
      isAliasable: false,
      rowsCount: null,
      dataSizeBytes: null,
    })
    const all = ['"1","martin","PRG","male"', '"2","klara","PRG","female"']
    expect((await preview(alias)).slice(1)).toEqual(all)
    expect((await exported(alias)).lines).toEqual(all)
    const male = { whereColumn: 'sex', whereValues: ['male'] }
    expect((await preview(alias, '?whereColumn=sex&whereValues[]=male')).slice(1)).toEqual(all.slice(0, 1))
    expect((await exported(alias, male)).lines).toEqual(all.slice(0, 1))
    expect((await preview(alias, '?whereColumn=city&whereValues[]=VAN')).slice(1)).toEqual([])
    expect((await exported(alias, { whereColumn: 'city', whereValues: ['VAN'] })).lines).toEqual([])
  })

  it('has its filter set, changed in parts, and removed', async () => {
    const sourceId = await createTable()
    const alias = await createAlias(sourceId)
    const filter = (body: object) => target.call('POST', `tables/${alias}/alias-filter`, body)
    expect(await filter({})).toMatchObject({ status: 200, body: { id: alias } })
    expect(await filter({ values: ['x'] })).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.validation', error: expect.stringContaining('column') },
    })
    expect(await filter({ column: 'none', values: [] })).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.validation.columnNotExists' },
    })
    expect((await filter({ column: 'city', operator: 'ne', values: ['PRG'] })).body).toMatchObject({
      aliasFilter: { column: 'city', operator: 'ne', values: ['PRG'] },
    })
    expect((await preview(alias)).slice(1)).toEqual(['"3","ondra","VAN","male"'])
    expect((await filter({ values: ['VAN'] })).body.aliasFilter).toEqual({
      column: 'city',
      operator: 'ne',
      values: ['VAN'],
    })
    expect((await filter({})).body.aliasFilter.values).toEqual(['VAN'])
    expect((await target.call('DELETE', `tables/${alias}/alias-filter`)).status).toBe(204)
    expect(await detail(alias)).not.toHaveProperty('aliasFilter')
    expect(await preview(alias)).toHaveLength(4)
    expect(await target.call('DELETE', `tables/${sourceId}/alias-filter`)).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.notAlias' },
    })
  })

  it('holds the column and the key that it filters by, also against force', async () => {
    const sourceId = await createTable(people, { primaryKey: 'id,name' })
    const alias = await createAlias(sourceId, { aliasFilter: { column: 'name', values: ['martin'] } })
    await createAlias(sourceId, { aliasFilter: { column: 'city', values: ['PRG'] } })
    expect(await target.call('DELETE', `tables/${sourceId}/columns/city?force=1`)).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.cannotDeleteReferencedColumn' },
    })
    expect(await target.call('DELETE', `tables/${sourceId}/primary-key`)).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.cannotRemoveReferencedColumnFromPrimaryKey' },
    })
    await target.call('DELETE', `tables/${alias}/alias-filter`)
    expect((await target.job('DELETE', `tables/${sourceId}/primary-key`)).status).toBe('success')
  })
})

describe('an alias with columns of its own', () => {
  it('shows these only, and a request may filter by the others', async () => {
    const aliasFilter = { column: 'sex', values: ['male'] }
    const alias = await createAlias(await createTable(), { aliasColumns: ['id', 'name'], aliasFilter })
    expect(await detail(alias)).toMatchObject({
      columns: ['id', 'name'],
      aliasColumnsAutoSync: false,
      isAliasable: false,
      primaryKey: ['id'],
    })
    expect(await preview(alias)).toEqual(['"id","name"', '"1","martin"', '"3","ondra"'])
    expect(await preview(alias, '?whereColumn=city&whereValues[]=VAN')).toEqual([
      '"id","name"',
      '"3","ondra"',
    ])
    expect((await exported(alias)).lines).toEqual(['"1","martin"', '"3","ondra"'])
    // Text is searched in what is shown.
    expect((await preview(alias, '?fulltextSearch=PRG')).slice(1)).toEqual([])
    expect((await preview(alias, '?fulltextSearch=MART')).slice(1)).toEqual(['"1","martin"'])
    for (const answer of [
      target.call('GET', `tables/${alias}/data-preview?columns=city`),
      target.call('POST', `tables/${alias}/export-async`, { columns: 'city' }),
    ])
      expect(await answer).toMatchObject({
        status: 400,
        body: { code: 'storage.tables.validation.columnNotExists' },
      })
  })

  it('shows one more or one less on request, and holds the columns that it shows', async () => {
    const sourceId = await createTable()
    const alias = await createAlias(sourceId, { aliasColumns: ['city', 'id'] })
    await target.job('POST', `tables/${sourceId}/columns`, { name: 'later' })
    expect((await detail(alias)).columns).toEqual(['city', 'id'])
    expect((await target.job('POST', `tables/${alias}/columns`, { name: 'name' })).status).toBe('success')
    expect((await detail(alias)).columns).toEqual(['city', 'id', 'name'])
    expect(await target.call('POST', `tables/${alias}/columns`, { name: 'none' })).toMatchObject({
      status: 404,
      body: { code: 'storage.tables.columns.notFound' },
    })
    const job = await target.job('DELETE', `tables/${alias}/columns/city`)
    expect(job).toMatchObject({ status: 'success', operationName: 'tableColumnDelete' })
    expect((await detail(alias)).columns).toEqual(['id', 'name'])
    expect((await detail(sourceId)).columns).toContain('city')
    expect(await target.call('DELETE', `tables/${sourceId}/columns/name?force=1`)).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.cannotDeleteReferencedColumn' },
    })
    expect((await target.job('DELETE', `tables/${sourceId}/columns/sex`)).status).toBe('success')
  })

  it('follows its source again, or stops following it', async () => {
    const sourceId = await createTable()
    const alias = await createAlias(sourceId)
    const sync = (method: string) => target.call(method, `tables/${alias}/alias-columns-auto-sync`)
    expect((await sync('DELETE')).status).toBe(204)
    expect((await sync('DELETE')).status).toBe(204)
    await target.job('POST', `tables/${sourceId}/columns`, { name: 'age' })
    expect(await detail(alias)).toMatchObject({
      aliasColumnsAutoSync: false,
      columns: ['id', 'name', 'city', 'sex'],
    })
    expect((await sync('POST')).status).toBe(204)
    expect(await detail(alias)).toMatchObject({
      aliasColumnsAutoSync: true,
      columns: ['id', 'name', 'city', 'sex', 'age'],
    })
  })
})

describe('an alias that cannot be', () => {
  it('is refused: of an advanced alias, of unknown columns, under a name that is taken or not valid', async () => {
    const sourceId = await createTable()
    const filtered = await createAlias(sourceId, { aliasFilter: { column: 'id', values: ['1'] } })
    const some = await createAlias(sourceId, { aliasColumns: ['id'] })
    for (const id of [filtered, some])
      expect(await sendAlias(id)).toMatchObject({
        status: 400,
        body: { error: 'Aliasing an advanced alias is not allowed.' },
      })
    for (const settings of [{ aliasColumns: ['none'] }, { aliasFilter: { column: 'none', values: ['1'] } }])
      expect((await sendAlias(sourceId, settings)).body.code).toBe(
        'storage.tables.validation.columnNotExists',
      )
    expect((await sendAlias(sourceId, { name: some.split('.').at(-1) })).body.code).toBe(
      'storage.buckets.tableAlreadyExists',
    )
    expect((await sendAlias(sourceId, { name: 'x.' })).body.error).toBe(
      "Invalid table name: 'x.' contains not allowed characters. Only alphanumeric characters dash and underscores are allowed.",
    )
    expect((await sendAlias(`${sourceBucket}.none`)).status).toBe(404)
  })

  it('is refused where it would change below its own aliases', async () => {
    const alias = await createAlias(await createTable())
    await createAlias(alias)
    const answer = await target.call('DELETE', `tables/${alias}/alias-columns-auto-sync`)
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'Cannot change auto sync settings - table has dependent aliases' },
    })
    const filter = { column: 'name', values: ['martin'] }
    expect((await target.call('POST', `tables/${alias}/alias-filter`, filter)).status).toBe(400)
  })

  it('is refused in and from the buckets of a development branch', async () => {
    const sourceId = await createTable()
    const bucketId = await target.createBucket('of-branch')
    const metadata = [{ key: 'KBC.createdBy.branch.id', value: '123' }]
    await target.call('POST', `buckets/${bucketId}/metadata`, { provider: 'system', metadata })
    const answer = await target.call('POST', `buckets/${bucketId}/table-aliases`, { sourceTable: sourceId })
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'Creating aliases in Dev/Branch buckets is not supported yet.' },
    })
    const dataFileId = await target.upload(people)
    const { results } = await target.job('POST', `buckets/${bucketId}/tables-async`, {
      name: 't',
      dataFileId,
    })
    expect((await sendAlias(results.id)).body.error).toBe(
      'Creating aliases from Dev/Branch tables is not supported yet.',
    )
  })
})

describe('a table with aliases', () => {
  it.each(['', '&async=1'])('is deleted only with force, and then with all of them (%s)', async async => {
    const sourceId = await createTable()
    const first = await createAlias(sourceId)
    const second = await createAlias(first)
    const aside = await createAlias(first)
    const name = sourceId.split('.').at(-1)
    expect(await target.call('DELETE', `tables/${sourceId}?force=0${async}`)).toMatchObject({
      status: 400,
      body: {
        code: 'tables.cannotDeletedTableWithAliases',
        error: expect.stringContaining(`The table ${name} cannot be deleted because an alias exists`),
      },
    })
    const drop = async (id: string) => {
      if (async === '') return target.call('DELETE', `tables/${id}?force=1`)
      return target.job('DELETE', `tables/${id}?force=1${async}`)
    }
    await drop(aside)
    await drop(sourceId)
    for (const id of [sourceId, first, second, aside])
      expect((await target.call('GET', `tables/${id}`)).status).toBe(404)
  })

  it('goes with its bucket, and its aliases in other buckets too', async () => {
    const bucketId = await target.createBucket('goes')
    const dataFileId = await target.upload(people)
    const { results } = await target.job('POST', `buckets/${bucketId}/tables-async`, {
      name: 't',
      dataFileId,
    })
    const alias = await createAlias(results.id)
    expect((await target.call('DELETE', `buckets/${bucketId}?force=1`)).status).toBe(204)
    expect((await target.call('GET', `tables/${alias}`)).status).toBe(404)
  })
})

describe('the rights on an alias', () => {
  it('are: read the source and write the bucket to create it, read its bucket to see it', async () => {
    const sourceId = await createTable()
    const alias = await createAlias(sourceId)
    const withToken = async (bucketPermissions: object) => {
      const { body } = await target.call('POST', 'tokens', { description: 'limited', bucketPermissions })
      return (method: string, path: string, sent?: object) =>
        target.call(method, path, sent, { 'X-StorageApi-Token': body.token })
    }
    const sent = (name: string) => ({ sourceTable: sourceId, name })
    const create = `buckets/${aliasBucket}/table-aliases`
    const writer = await withToken({ [aliasBucket]: 'write', [sourceBucket]: 'read' })
    expect((await writer('POST', create, sent('mine'))).status).toBe(201)
    for (const permissions of [
      { [aliasBucket]: 'write' },
      { [aliasBucket]: 'read', [sourceBucket]: 'read' },
    ]) {
      const limited = await withToken(permissions)
      expect(await limited('POST', create, sent('not-mine'))).toMatchObject({
        status: 403,
        body: { code: 'accessDenied' },
      })
    }
    const reader = await withToken({ [aliasBucket]: 'read' })
    expect((await reader('GET', `tables/${alias}/data-preview`)).status).toBe(200)
    expect((await reader('GET', `tables/${sourceId}`)).status).toBe(403)
    expect((await reader('POST', `tables/${alias}/alias-filter`, {})).status).toBe(403)
  })
})

describe('the events of an alias', () => {
  it('say each change of it, and none where nothing changed', async () => {
    const sourceId = await createTable()
    const alias = await createAlias(sourceId)
    const filter = { column: 'city', operator: 'eq', values: ['PRG'] }
    for (const [method, path, body] of [
      ['POST', 'alias-filter', filter],
      ['POST', 'alias-filter', {}],
      ['DELETE', 'alias-filter', undefined],
      ['DELETE', 'alias-filter', undefined],
      ['DELETE', 'alias-columns-auto-sync', undefined],
      ['POST', 'alias-columns-auto-sync', undefined],
    ] as const)
      expect((await target.call(method, `tables/${alias}/${path}`, body)).status).toBeLessThan(300)
    await target.call('DELETE', `tables/${sourceId}?force=1`)
    const q = encodeURIComponent(`objectId:"${alias}"`)
    const { body: events } = await target.call('GET', `events?q=${q}`)
    const params = { sourceTable: sourceId, aliasFilter: null, aliasColumns: null }
    expect(events.toReversed()).toMatchObject([
      { event: 'storage.tableAliasCreated', objectType: 'table', params },
      { event: 'storage.tableAliasFilterSet', params: { aliasFilter: filter } },
      { event: 'storage.tableAliasFilterRemoved' },
      { event: 'storage.tableAliasColumnsAutoSyncDisabled' },
      { event: 'storage.tableAliasColumnsAutoSyncEnabled' },
      { event: 'storage.tableDeleted', params: { force: true } },
    ])
  })
})

describe('an alias in a development branch', () => {
  it('shows what the branch makes of its source, and is changed there only', async () => {
    const sourceId = await createTable()
    const alias = await createAlias(sourceId)
    const { results: branch } = await target.job('POST', 'dev-branches', {
      name: `aliases ${++names} ${sourceId}`,
    })
    const there = `branch/${branch.id}`
    const dataFileId = await target.upload('id,name,city,sex\n5,eva,BRN,female\n')
    try {
      const imported = `${there}/tables/${sourceId}/import-async`
      expect((await target.job('POST', imported, { dataFileId })).status).toBe('success')
      const shown = async (place: string) =>
        (await target.call('GET', `${place}tables/${alias}/data-preview`)).text.trimEnd().split('\n').length -
        1
      expect([await shown(''), await shown(`${there}/`)]).toEqual([3, 1])

      const filter = { column: 'city', values: ['PRG'] }
      const filtered = await target.call('POST', `${there}/tables/${alias}/alias-filter`, filter)
      expect(filtered).toMatchObject({ status: 200, body: { aliasFilter: filter } })
      expect([await shown(''), await shown(`${there}/`)]).toEqual([3, 0])
      expect(await target.call('DELETE', `${there}/tables/${sourceId}`)).toMatchObject({
        status: 400,
        body: { code: 'tables.cannotDeletedTableWithAliases' },
      })
      expect((await target.call('DELETE', `${there}/tables/${sourceId}?force=1`)).status).toBe(204)
      expect((await target.call('GET', `${there}/tables/${alias}`)).status).toBe(404)
      expect((await detail(alias)).rowsCount).toBe(3)
      expect((await target.call('DELETE', `tables/${sourceId}`)).status).toBe(400)
      const created = await target.call('POST', `${there}/buckets/${aliasBucket}/table-aliases`, {
        sourceTable: sourceId,
      })
      expect(created.status).toBe(404)
    } finally {
      await target.job('DELETE', `dev-branches/${branch.id}`)
    }
  })
})
