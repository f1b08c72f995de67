import { describe, expect, it } from 'vitest'
import { people, startAliases } from './alias-steps.ts'

const aliases = await startAliases()

describe('a simple alias', () => {
  it('shows its source, and is shown as a table everywhere', async () => {
    const sourceId = await aliases.createTable()
    const { status, body } = await aliases.sendAlias(sourceId, { name: null })
    const source = await aliases.detail(sourceId)
    expect(status).toBe(201)
    const name = sourceId.split('.').at(-1)
    expect(body).toMatchObject({ id: `${aliases.aliasBucket}.${name}`, name, displayName: name })
    const alias = await aliases.detail(body.id)
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
      bucket: { id: aliases.aliasBucket },
    })
    expect(alias).not.toHaveProperty('aliasFilter')
    expect(source).not.toHaveProperty('sourceTable')
    expect(await aliases.preview(alias.id)).toEqual(await aliases.preview(sourceId))

    const inBucket = (
      await aliases.target.call('GET', `buckets/${aliases.aliasBucket}/tables?include=columns`)
    ).body
    const listed = inBucket.find(({ id }: { id: string }) => id === alias.id)
    expect(listed).toMatchObject({ isAlias: true, columns, sourceTable: { id: sourceId } })
    const { body: found } = await aliases.target.call('GET', `global-search?query=${name}&types[]=table`)
    expect(found.items.map(({ id }: { id: string }) => id)).toContain(alias.id)
    // Its bucket has no rows of its own.
    const { body: bucket } = await aliases.target.call('GET', `buckets/${aliases.aliasBucket}`)
    expect(bucket).toMatchObject({ rowsCount: 0, dataSizeBytes: 0 })
  })

  it('follows imports, new columns and deleted ones, through any number of aliases', async () => {
    const sourceId = await aliases.createTable()
    const first = await aliases.createAlias(sourceId)
    const second = await aliases.createAlias(first)
    const third = await aliases.createAlias(second)
    await aliases.load(sourceId, 'id,name,city,sex,age\n7,eva,BRN,female,30\n')
    const source = await aliases.detail(sourceId)
    for (const id of [first, second, third]) {
      const { columns, rowsCount, lastImportDate } = await aliases.detail(id)
      expect({ columns, rowsCount, lastImportDate }).toEqual({
        columns: ['id', 'name', 'city', 'sex', 'age'],
        rowsCount: 1,
        lastImportDate: source.lastImportDate,
      })
    }
    const metadata = [{ key: 'k', value: 'v' }]
    await aliases.target.call('POST', `columns/${sourceId}.city/metadata`, { provider: 'p', metadata })
    expect((await aliases.detail(third)).sourceTable).toMatchObject({
      id: second,
      columnMetadata: { city: metadata },
    })
    expect(await aliases.preview(third)).toEqual([
      '"id","name","city","sex","age"',
      '"7","eva","BRN","female","30"',
    ])
    expect(await aliases.target.call('DELETE', `tables/${sourceId}/columns/age`)).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.cannotDeleteReferencedColumn' },
    })
    const dropped = await aliases.target.job('DELETE', `tables/${sourceId}/columns/age?force=1`)
    expect(dropped.status).toBe('success')
    expect((await aliases.detail(third)).columns).toEqual(['id', 'name', 'city', 'sex'])
  })

  it('of a typed table is typed, and its source shows its definition', async () => {
    const name = aliases.nextName()
    const columns = [
      { name: 'id', basetype: 'INTEGER' },
      { name: 'paid', basetype: 'BOOLEAN' },
    ]
    const path = `buckets/${aliases.sourceBucket}/tables-definition`
    const { results: source } = await aliases.target.job('POST', path, {
      name,
      primaryKeysNames: ['id'],
      columns,
    })
    expect(source.definition.columns).toHaveLength(2)
    expect(await aliases.detail(await aliases.createAlias(source.id))).toMatchObject({
      isTyped: true,
      definition: source.definition,
      sourceTable: { definition: source.definition },
    })
    const { definition } = await aliases.detail(
      await aliases.createAlias(source.id, { aliasColumns: ['paid'] }),
    )
    expect(definition.columns.map(({ name: column }: { name: string }) => column)).toEqual(['paid'])
  })

  it('is exported anew when its source has changed, and else not', async () => {
    const sourceId = await aliases.createTable()
    const alias = await aliases.createAlias(await aliases.createAlias(sourceId))
    const one = await aliases.exported(alias)
    expect(one.lines).toHaveLength(3)
    expect(await aliases.exported(alias)).toMatchObject({ cacheHit: true, file: one.file })
    await aliases.load(sourceId, 'id,name,city,sex\n9,new,OVA,male\n', { incremental: 1 })
    const other = await aliases.exported(alias)
    expect(other).toMatchObject({ cacheHit: false })
    expect(other.lines).toHaveLength(4)
  })

  it('refuses what needs rows of its own, and keeps metadata of its own', async () => {
    const sourceId = await aliases.createTable()
    const alias = await aliases.createAlias(sourceId)
    const dataFileId = await aliases.target.upload(people)
    const refused = [
      ['POST', `tables/${alias}/import-async`, { dataFileId }],
      ['DELETE', `tables/${alias}/rows?allowTruncate=1`, undefined],
      ['POST', `tables/${alias}/primary-key`, { columns: ['name'] }],
      ['DELETE', `tables/${alias}/primary-key`, undefined],
      ['POST', `tables/${alias}/snapshots`, {}],
    ] as const
    for (const [method, path, body] of refused)
      expect(await aliases.target.call(method, path, body)).toMatchObject({
        status: 400,
        body: { code: 'storage.tables.aliasImportNotAllowed', error: expect.stringContaining(sourceId) },
      })
    for (const [method, path, body] of [
      ['POST', `tables/${alias}/columns`, { name: 'name' }],
      ['DELETE', `tables/${alias}/columns/name`, undefined],
    ] as const)
      expect(await aliases.target.call(method, path, body)).toMatchObject({
        status: 400,
        body: { code: 'storage.tables.aliasColumnsAutoSync' },
      })
    const copy = { name: 'copy', sourceTableId: alias, timestamp: new Date().toISOString() }
    expect(
      await aliases.target.call('POST', `buckets/${aliases.aliasBucket}/tables-async`, copy),
    ).toMatchObject({
      status: 400,
      body: { code: 'storage.validation.timeTravelNotSupported' },
    })
    const metadata = { provider: 'me', metadata: [{ key: 'k', value: 'v' }] }
    expect((await aliases.target.call('POST', `tables/${alias}/metadata`, metadata)).status).toBe(201)
    expect((await aliases.detail(alias)).metadata).toMatchObject([{ key: 'k', value: 'v' }])
    expect((await aliases.detail(sourceId)).metadata).toEqual([])
    const { body: renamed } = await aliases.target.call('PUT', `tables/${alias}`, { displayName: 'shown' })
    expect(renamed).toMatchObject({ id: alias, displayName: 'shown', isAlias: true })
  })
})

describe('an alias with a filter', () => {
  it('shows the rows of the filter, and the filter of a request is added to it', async () => {
    const aliasFilter = { column: 'city', values: ['PRG'], operator: '' }
    const alias = await aliases.createAlias(await aliases.createTable(), { aliasFilter })
    expect(await aliases.detail(alias)).toMatchObject({
      aliasFilter: { column: 'city', operator: 'eq', values: ['PRG'] },
      isAliasable: false,
      rowsCount: null,
      dataSizeBytes: null,
    })
    const all = ['"1","martin","PRG","male"', '"2","klara","PRG","female"']
    expect((await aliases.preview(alias)).slice(1)).toEqual(all)
    expect((await aliases.exported(alias)).lines).toEqual(all)
    const male = { whereColumn: 'sex', whereValues: ['male'] }
    expect((await aliases.preview(alias, '?whereColumn=sex&whereValues[]=male')).slice(1)).toEqual(
      all.slice(0, 1),
    )
    expect((await aliases.exported(alias, male)).lines).toEqual(all.slice(0, 1))
    expect((await aliases.preview(alias, '?whereColumn=city&whereValues[]=VAN')).slice(1)).toEqual([])
    expect((await aliases.exported(alias, { whereColumn: 'city', whereValues: ['VAN'] })).lines).toEqual([])
  })

  it('has its filter set, changed in parts, and removed', async () => {
    const sourceId = await aliases.createTable()
    const alias = await aliases.createAlias(sourceId)
    const filter = (body: object) => aliases.target.call('POST', `tables/${alias}/alias-filter`, body)
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
    expect((await aliases.preview(alias)).slice(1)).toEqual(['"3","ondra","VAN","male"'])
    expect((await filter({ values: ['VAN'] })).body.aliasFilter).toEqual({
      column: 'city',
      operator: 'ne',
      values: ['VAN'],
    })
    expect((await filter({})).body.aliasFilter.values).toEqual(['VAN'])
    expect((await aliases.target.call('DELETE', `tables/${alias}/alias-filter`)).status).toBe(204)
    expect(await aliases.detail(alias)).not.toHaveProperty('aliasFilter')
    expect(await aliases.preview(alias)).toHaveLength(4)
    expect(await aliases.target.call('DELETE', `tables/${sourceId}/alias-filter`)).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.notAlias' },
    })
  })

  it('holds the column and the key that it filters by, also against force', async () => {
    const sourceId = await aliases.createTable(people, { primaryKey: 'id,name' })
    const alias = await aliases.createAlias(sourceId, { aliasFilter: { column: 'name', values: ['martin'] } })
    await aliases.createAlias(sourceId, { aliasFilter: { column: 'city', values: ['PRG'] } })
    expect(await aliases.target.call('DELETE', `tables/${sourceId}/columns/city?force=1`)).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.cannotDeleteReferencedColumn' },
    })
    expect(await aliases.target.call('DELETE', `tables/${sourceId}/primary-key`)).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.cannotRemoveReferencedColumnFromPrimaryKey' },
    })
    await aliases.target.call('DELETE', `tables/${alias}/alias-filter`)
    expect((await aliases.target.job('DELETE', `tables/${sourceId}/primary-key`)).status).toBe('success')
  })
})

describe('an alias with columns of its own', () => {
  it('shows these only, and a request may filter by the others', async () => {
    const aliasFilter = { column: 'sex', values: ['male'] }
    const alias = await aliases.createAlias(await aliases.createTable(), {
      aliasColumns: ['id', 'name'],
      aliasFilter,
    })
    expect(await aliases.detail(alias)).toMatchObject({
      columns: ['id', 'name'],
      aliasColumnsAutoSync: false,
      isAliasable: false,
      primaryKey: ['id'],
    })
    expect(await aliases.preview(alias)).toEqual(['"id","name"', '"1","martin"', '"3","ondra"'])
    expect(await aliases.preview(alias, '?whereColumn=city&whereValues[]=VAN')).toEqual([
      '"id","name"',
      '"3","ondra"',
    ])
    expect((await aliases.exported(alias)).lines).toEqual(['"1","martin"', '"3","ondra"'])
    // Text is searched in what is shown.
    expect((await aliases.preview(alias, '?fulltextSearch=PRG')).slice(1)).toEqual([])
    expect((await aliases.preview(alias, '?fulltextSearch=MART')).slice(1)).toEqual(['"1","martin"'])
    for (const answer of [
      aliases.target.call('GET', `tables/${alias}/data-preview?columns=city`),
      aliases.target.call('POST', `tables/${alias}/export-async`, { columns: 'city' }),
    ])
      expect(await answer).toMatchObject({
        status: 400,
        body: { code: 'storage.tables.validation.columnNotExists' },
      })
  })

  it('shows one more or one less on request, and holds the columns that it shows', async () => {
    const sourceId = await aliases.createTable()
    const alias = await aliases.createAlias(sourceId, { aliasColumns: ['city', 'id'] })
    await aliases.target.job('POST', `tables/${sourceId}/columns`, { name: 'later' })
    expect((await aliases.detail(alias)).columns).toEqual(['city', 'id'])
    expect((await aliases.target.job('POST', `tables/${alias}/columns`, { name: 'name' })).status).toBe(
      'success',
    )
    expect((await aliases.detail(alias)).columns).toEqual(['city', 'id', 'name'])
    expect(await aliases.target.call('POST', `tables/${alias}/columns`, { name: 'none' })).toMatchObject({
      status: 404,
      body: { code: 'storage.tables.columns.notFound' },
    })
    const job = await aliases.target.job('DELETE', `tables/${alias}/columns/city`)
    expect(job).toMatchObject({ status: 'success', operationName: 'tableColumnDelete' })
    expect((await aliases.detail(alias)).columns).toEqual(['id', 'name'])
    expect((await aliases.detail(sourceId)).columns).toContain('city')
    expect(await aliases.target.call('DELETE', `tables/${sourceId}/columns/name?force=1`)).toMatchObject({
      status: 400,
      body: { code: 'storage.tables.cannotDeleteReferencedColumn' },
    })
    expect((await aliases.target.job('DELETE', `tables/${sourceId}/columns/sex`)).status).toBe('success')
  })

  it('follows its source again, or stops following it', async () => {
    const sourceId = await aliases.createTable()
    const alias = await aliases.createAlias(sourceId)
    const sync = (method: string) => aliases.target.call(method, `tables/${alias}/alias-columns-auto-sync`)
    expect((await sync('DELETE')).status).toBe(204)
    expect((await sync('DELETE')).status).toBe(204)
    await aliases.target.job('POST', `tables/${sourceId}/columns`, { name: 'age' })
    expect(await aliases.detail(alias)).toMatchObject({
      aliasColumnsAutoSync: false,
      columns: ['id', 'name', 'city', 'sex'],
    })
    expect((await sync('POST')).status).toBe(204)
    expect(await aliases.detail(alias)).toMatchObject({
      aliasColumnsAutoSync: true,
      columns: ['id', 'name', 'city', 'sex', 'age'],
    })
  })
})
