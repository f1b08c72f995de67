import { describe, expect, it } from 'vitest'
import { people, startAliases } from './alias-steps.ts'

const aliases = await startAliases()

describe('an alias that cannot be', () => {
  it('is refused: of an advanced alias, of unknown columns, under a name that is taken or not valid', async () => {
    const sourceId = await aliases.createTable()
    const filtered = await aliases.createAlias(sourceId, { aliasFilter: { column: 'id', values: ['1'] } })
    const some = await aliases.createAlias(sourceId, { aliasColumns: ['id'] })
    for (const id of [filtered, some])
      expect(await aliases.sendAlias(id)).toMatchObject({
        status: 400,
        body: { error: 'Aliasing an advanced alias is not allowed.' },
      })
    for (const settings of [{ aliasColumns: ['none'] }, { aliasFilter: { column: 'none', values: ['1'] } }])
      expect((await aliases.sendAlias(sourceId, settings)).body.code).toBe(
        'storage.tables.validation.columnNotExists',
      )
    expect((await aliases.sendAlias(sourceId, { name: some.split('.').at(-1) })).body.code).toBe(
      'storage.buckets.tableAlreadyExists',
    )
    expect((await aliases.sendAlias(sourceId, { name: 'x.' })).body.error).toBe(
      "Invalid table name: 'x.' contains not allowed characters. Only alphanumeric characters dash and underscores are allowed.",
    )
    expect((await aliases.sendAlias(`${aliases.sourceBucket}.none`)).status).toBe(404)
  })

  it('is refused where it would change below its own aliases', async () => {
    const alias = await aliases.createAlias(await aliases.createTable())
    await aliases.createAlias(alias)
    const answer = await aliases.target.call('DELETE', `tables/${alias}/alias-columns-auto-sync`)
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'Cannot change auto sync settings - table has dependent aliases' },
    })
    const filter = { column: 'name', values: ['martin'] }
    expect((await aliases.target.call('POST', `tables/${alias}/alias-filter`, filter)).status).toBe(400)
  })

  it('is refused in and from the buckets of a development branch', async () => {
    const sourceId = await aliases.createTable()
    const bucketId = await aliases.target.createBucket('of-branch')
    const metadata = [{ key: 'KBC.createdBy.branch.id', value: '123' }]
    await aliases.target.call('POST', `buckets/${bucketId}/metadata`, { provider: 'system', metadata })
    const answer = await aliases.target.call('POST', `buckets/${bucketId}/table-aliases`, {
      sourceTable: sourceId,
    })
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'Creating aliases in Dev/Branch buckets is not supported yet.' },
    })
    const dataFileId = await aliases.target.upload(people)
    const { results } = await aliases.target.job('POST', `buckets/${bucketId}/tables-async`, {
      name: 't',
      dataFileId,
    })
    expect((await aliases.sendAlias(results.id)).body.error).toBe(
      'Creating aliases from Dev/Branch tables is not supported yet.',
    )
  })
})

describe('a table with aliases', () => {
  it.each(['', '&async=1'])('is deleted only with force, and then with all of them (%s)', async async => {
    const sourceId = await aliases.createTable()
    const first = await aliases.createAlias(sourceId)
    const second = await aliases.createAlias(first)
    const aside = await aliases.createAlias(first)
    const name = sourceId.split('.').at(-1)
    expect(await aliases.target.call('DELETE', `tables/${sourceId}?force=0${async}`)).toMatchObject({
      status: 400,
      body: {
        code: 'tables.cannotDeletedTableWithAliases',
        error: expect.stringContaining(`The table ${name} cannot be deleted because an alias exists`),
      },
    })
    const drop = async (id: string) => {
      if (async === '') return aliases.target.call('DELETE', `tables/${id}?force=1`)
      return aliases.target.job('DELETE', `tables/${id}?force=1${async}`)
    }
    await drop(aside)
    await drop(sourceId)
    for (const id of [sourceId, first, second, aside])
      expect((await aliases.target.call('GET', `tables/${id}`)).status).toBe(404)
  })

  it('goes with its bucket, and its aliases in other buckets too', async () => {
    const bucketId = await aliases.target.createBucket('goes')
    const dataFileId = await aliases.target.upload(people)
    const { results } = await aliases.target.job('POST', `buckets/${bucketId}/tables-async`, {
      name: 't',
      dataFileId,
    })
    const alias = await aliases.createAlias(results.id)
    expect((await aliases.target.call('DELETE', `buckets/${bucketId}?force=1`)).status).toBe(204)
    expect((await aliases.target.call('GET', `tables/${alias}`)).status).toBe(404)
  })
})

describe('the rights on an alias', () => {
  it('are: read the source and write the bucket to create it, read its bucket to see it', async () => {
    const sourceId = await aliases.createTable()
    const alias = await aliases.createAlias(sourceId)
    const withToken = async (bucketPermissions: object) => {
      const { body } = await aliases.target.call('POST', 'tokens', {
        description: 'limited',
        bucketPermissions,
      })
      return (method: string, path: string, sent?: object) =>
        aliases.target.call(method, path, sent, { 'X-StorageApi-Token': body.token })
    }
    const sent = (name: string) => ({ sourceTable: sourceId, name })
    const create = `buckets/${aliases.aliasBucket}/table-aliases`
    const writer = await withToken({ [aliases.aliasBucket]: 'write', [aliases.sourceBucket]: 'read' })
    expect((await writer('POST', create, sent('mine'))).status).toBe(201)
    for (const permissions of [
      { [aliases.aliasBucket]: 'write' },
      { [aliases.aliasBucket]: 'read', [aliases.sourceBucket]: 'read' },
    ]) {
      const limited = await withToken(permissions)
      expect(await limited('POST', create, sent('not-mine'))).toMatchObject({
        status: 403,
        body: { code: 'accessDenied' },
      })
    }
    const reader = await withToken({ [aliases.aliasBucket]: 'read' })
    expect((await reader('GET', `tables/${alias}/data-preview`)).status).toBe(200)
    expect((await reader('GET', `tables/${sourceId}`)).status).toBe(403)
    expect((await reader('POST', `tables/${alias}/alias-filter`, {})).status).toBe(403)
  })
})

describe('the events of an alias', () => {
  it('say each change of it, and none where nothing changed', async () => {
    const sourceId = await aliases.createTable()
    const alias = await aliases.createAlias(sourceId)
    const filter = { column: 'city', operator: 'eq', values: ['PRG'] }
    for (const [method, path, body] of [
      ['POST', 'alias-filter', filter],
      ['POST', 'alias-filter', {}],
      ['DELETE', 'alias-filter', undefined],
      ['DELETE', 'alias-filter', undefined],
      ['DELETE', 'alias-columns-auto-sync', undefined],
      ['POST', 'alias-columns-auto-sync', undefined],
    ] as const)
      expect((await aliases.target.call(method, `tables/${alias}/${path}`, body)).status).toBeLessThan(300)
    await aliases.target.call('DELETE', `tables/${sourceId}?force=1`)
    const q = encodeURIComponent(`objectId:"${alias}"`)
    const { body: events } = await aliases.target.call('GET', `events?q=${q}`)
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
    const sourceId = await aliases.createTable()
    const alias = await aliases.createAlias(sourceId)
    const { results: branch } = await aliases.target.job('POST', 'dev-branches', {
      name: `aliases ${aliases.nextName()} ${sourceId}`,
    })
    const there = `branch/${branch.id}`
    const dataFileId = await aliases.target.upload('id,name,city,sex\n5,eva,BRN,female\n')
    try {
      const imported = `${there}/tables/${sourceId}/import-async`
      expect((await aliases.target.job('POST', imported, { dataFileId })).status).toBe('success')
      const shown = async (place: string) =>
        (await aliases.target.call('GET', `${place}tables/${alias}/data-preview`)).text.trimEnd().split('\n')
          .length - 1
      expect([await shown(''), await shown(`${there}/`)]).toEqual([3, 1])

      const filter = { column: 'city', values: ['PRG'] }
      const filtered = await aliases.target.call('POST', `${there}/tables/${alias}/alias-filter`, filter)
      expect(filtered).toMatchObject({ status: 200, body: { aliasFilter: filter } })
      expect([await shown(''), await shown(`${there}/`)]).toEqual([3, 0])
      expect(await aliases.target.call('DELETE', `${there}/tables/${sourceId}`)).toMatchObject({
        status: 400,
        body: { code: 'tables.cannotDeletedTableWithAliases' },
      })
      expect((await aliases.target.call('DELETE', `${there}/tables/${sourceId}?force=1`)).status).toBe(204)
      expect((await aliases.target.call('GET', `${there}/tables/${alias}`)).status).toBe(404)
      expect((await aliases.detail(alias)).rowsCount).toBe(3)
      expect((await aliases.target.call('DELETE', `tables/${sourceId}`)).status).toBe(400)
      const created = await aliases.target.call(
        'POST',
        `${there}/buckets/${aliases.aliasBucket}/table-aliases`,
        {
          sourceTable: sourceId,
        },
      )
      expect(created.status).toBe(404)
    } finally {
      await aliases.target.job('DELETE', `dev-branches/${branch.id}`)
    }
  })
})
