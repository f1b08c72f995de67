import { describe, expect, it } from 'vitest'
import { routes } from '#functions/storage-api/routes/routes.ts'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()
const sourceBucket = await service.createBucket('source')
const shownBucket = await service.createBucket('shown')
const call = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
  service.call(method, `/v2/storage/${path}`, body, headers)
const tokenWith = async (bucketPermissions: object) => {
  const { body } = await call('POST', 'tokens', { bucketPermissions })
  return { 'X-StorageApi-Token': body.token as string }
}

const secret = 'hidden-4711'
const dataFileId = await service.upload(`id,city,pin\n1,Brno,${secret}\n2,Praha,other\n`)
await call('POST', `buckets/${sourceBucket}/tables-definition`, {
  name: 'people',
  primaryKeysNames: ['id'],
  columns: ['id', 'city', 'pin'].map(name => ({ name, basetype: 'STRING' })),
})
await call('POST', `tables/${sourceBucket}.people/import-async`, { dataFileId })
await call('POST', `columns/${sourceBucket}.people.pin/metadata`, {
  provider: 'user',
  metadata: [{ key: 'note', value: secret }],
})
const createAlias = async (bucketId: string): Promise<string> => {
  const { body } = await call('POST', `buckets/${bucketId}/table-aliases`, {
    sourceTable: `${sourceBucket}.people`,
    name: 'people',
    aliasColumns: ['id', 'city'],
    aliasFilter: { column: 'city', values: ['Brno'] },
  })
  return body.id
}
const alias = await createAlias(shownBucket)
/** Nobody has asked for what it hides, so its events and jobs do not say it either. */
const quietBucket = await service.createBucket('quiet')
const quiet = await createAlias(quietBucket)
const onQuietAlone = await tokenWith({ [quietBucket]: 'write' })

const onAliasAlone = await tokenWith({ [shownBucket]: 'write' })
const onBoth = await tokenWith({ [shownBucket]: 'write', [sourceBucket]: 'read' })

/** What lists say of tables only when it is asked for. */
const all = 'columns,metadata,columnMetadata,sourceMetadata,sourceColumnMetadata'
const askedOf: Record<string, string> = {
  tables: `?include=buckets,${all}`,
  [`buckets/${quietBucket}`]: `?include=${all}`,
  [`buckets/${quietBucket}/tables`]: `?include=${all}`,
  'search/tables': `?metadataKey=KBC.dataTypesEnabled&include=${all}`,
  'global-search': '?query=p',
}

/** What each route with a table in its path does for an alias. A new route needs its line here. */
const treatments: Record<
  string,
  'chooses rows' | 'changes what it shows' | 'wants rows of its own' | 'names only'
> = {
  'GET /data-preview': 'chooses rows',
  'POST /export-async': 'chooses rows',
  'POST /alias-filter': 'changes what it shows',
  'DELETE /alias-filter': 'changes what it shows',
  'POST /alias-columns-auto-sync': 'changes what it shows',
  'DELETE /alias-columns-auto-sync': 'changes what it shows',
  'POST /columns': 'changes what it shows',
  'DELETE /columns/{column}': 'changes what it shows',
  'POST /snapshots': 'wants rows of its own',
  'POST /snapshots/{snapshotId}/restore': 'wants rows of its own',
  'DELETE /rows': 'wants rows of its own',
  'POST /primary-key': 'wants rows of its own',
  'DELETE /primary-key': 'wants rows of its own',
  'POST /import': 'wants rows of its own',
  'POST /import-async': 'wants rows of its own',
  'PUT /columns/{column}/definition': 'wants rows of its own',
  'PUT /definition': 'wants rows of its own',
  'POST /swap': 'wants rows of its own',
  'GET ': 'names only',
  'PUT ': 'names only',
  'DELETE ': 'names only',
  'GET /snapshots': 'names only',
  'GET /metadata': 'names only',
  'POST /metadata': 'names only',
  'DELETE /metadata/{metadataId}': 'names only',
  'GET /events': 'names only',
  'POST /pull': 'names only',
}
const ofRows: Record<string, object> = {
  'POST /snapshots': { description: 'x' },
  'DELETE /rows': { whereColumn: 'pin', whereValues: [secret] },
  'POST /primary-key': { columns: ['pin'] },
  'POST /import': { data: 'id\n1\n' },
  'POST /import-async': { dataFileId },
  'PUT /columns/{column}/definition': { nullable: true },
  'PUT /definition': { displayName: 'other' },
  'POST /swap': { targetTableId: `${sourceBucket}.people` },
}
const ofTables = routes
  .map(({ definition: { method, path } }) => `${method.toUpperCase()} ${path}`)
  .filter(name => / \/v2\/storage\/tables\/\{tableId\}/.test(name))
  .map(name => name.replace('/v2/storage/tables/{tableId}', ''))
/** Every route that reads: of the alias, of its bucket and columns, or of the whole project. */
const readers = routes
  .filter(route => route.method === 'get')
  .map(({ definition }) => definition.path)
  .map(path =>
    path
      .replace('{tableId}', quiet)
      .replace('{bucketId}', quietBucket)
      .replace('{columnId}', `${quiet}.city`),
  )
  .filter(path => !path.includes('{'))
  .map(path => `${path}${askedOf[path.replace('/v2/storage/', '')] ?? ''}`)
const withTreatment = (wanted: string): string[] =>
  Object.keys(treatments).filter(name => treatments[name] === wanted)
const send = (name: string, sent: object | undefined, headers?: Record<string, string>) => {
  const [method = '', path = ''] = name.split(' ')
  const at = `tables/${alias}${path.replace('{column}', 'city')}`
  return method === 'GET'
    ? call(method, `${at}?${query(sent ?? {})}`, undefined, headers)
    : call(method, at, sent, headers)
}
const query = (fields: object, place = ''): string =>
  Object.entries(fields)
    .map(([key, value]) => {
      const at = place === '' ? key : `${place}[${key}]`
      return typeof value === 'object' && value !== null
        ? query(value, at)
        : `${at}=${encodeURIComponent(String(value))}`
    })
    .join('&')

it('each route of a table says what it does for an alias', () => {
  expect(Object.keys(treatments).sort()).toEqual([...new Set(ofTables)].sort())
})

describe('a column that an alias does not show', () => {
  it.each(withTreatment('chooses rows'))('is none for who may not read the source: %s', async name => {
    for (const asked of [
      { whereColumn: 'pin', whereValues: [secret] },
      { whereFilters: [{ column: 'pin', operator: 'ge', values: ['h'] }] },
      { orderBy: [{ column: 'pin' }] },
      { columns: ['pin'] },
    ])
      expect(await send(name, asked, onAliasAlone)).toMatchObject({
        status: 400,
        body: { code: 'storage.tables.validation.columnNotExists' },
      })
    const searched = await send(name, { fulltextSearch: secret, format: 'rfc' }, onAliasAlone)
    expect(searched.status).toBeLessThan(300)
    expect(searched.text).not.toContain('Brno')
    const ofReader = await send(name, { whereColumn: 'pin', whereValues: [secret] }, onBoth)
    expect(ofReader.status).toBeLessThan(300)
  })

  it.each(withTreatment('changes what it shows'))(
    'stays hidden from who may not read the source: %s',
    async name => {
      const body =
        name === 'POST /columns' ? { name: 'pin' } : { column: 'pin', operator: 'ne', values: ['x'] }
      const before = (await call('GET', `tables/${alias}`)).body
      expect(await send(name, body, onAliasAlone)).toMatchObject({
        status: 403,
        body: { code: 'accessDenied' },
      })
      expect((await call('GET', `tables/${alias}`)).body).toEqual(before)
      const allowed = await send(name, body, onBoth)
      expect(allowed.status, allowed.text).toBeLessThan(300)
      // Back to what the other tests expect
      await call('POST', `tables/${alias}/alias-filter`, { column: 'city', operator: 'eq', values: ['Brno'] })
      await call('DELETE', `tables/${alias}/alias-columns-auto-sync`)
      for (const [column, isShown] of Object.entries({ city: true, pin: false }))
        if (isShown) await call('POST', `tables/${alias}/columns`, { name: column })
        else await call('DELETE', `tables/${alias}/columns/${column}`)
    },
  )

  it.each(withTreatment('wants rows of its own'))('is not reached through %s', async name => {
    const { status, body: said, text } = await send(name, ofRows[name])
    expect(status, text).toBe(400)
    expect(said.code, text).toBe('storage.tables.aliasImportNotAllowed')
  })

  it.each(readers)('is not named by %s for who may not read the source', async path => {
    const { text } = await service.call('GET', path, undefined, onQuietAlone)
    expect(text).not.toContain(secret)
    expect(text).not.toMatch(/\bpin\b/)
  })

  it('cannot be reached through the catalog of engines, which read whole files', async () => {
    const { body } = await service.call('GET', '/iceberg/v1/config', undefined, {})
    const prefix = body.defaults?.prefix ?? body.overrides?.prefix ?? ''
    const bearer = { Authorization: `Bearer ${onAliasAlone['X-StorageApi-Token']}` }
    const at = ['/iceberg/v1', prefix, 'namespaces', shownBucket, 'tables', 'people']
      .filter(Boolean)
      .join('/')
    expect((await service.call('GET', at, undefined, bearer)).status).toBe(404)
  })
})
