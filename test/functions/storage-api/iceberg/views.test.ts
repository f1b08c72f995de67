import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'
import { createCatalogClient } from './support.ts'

const service = await withStorage()
const catalog = createCatalogClient(service)
const source = await service.createBucket('source')
const shown = await service.createBucket('shown')
const call = (method: string, path: string, body?: object) =>
  service.call(method, `/v2/storage/${path}`, body)
const orders = await service.createTable(source, 'Orders', 'id,city,pin\n1,Brno,a\n2,Praha,b\n')

let names = 0
const alias = async (body: object = {}, sourceTable = orders): Promise<string> => {
  const name = `view-${++names}`
  const made = await call('POST', `buckets/${shown}/table-aliases`, { sourceTable, name, ...body })
  expect([made.status, made.body.id]).toEqual([201, `${shown}.${name}`])
  return `view_${names}`
}
const load = async (view: string) => {
  const { status, body } = await catalog.get(`namespaces/in_c_shown/views/${view}`)
  expect(status).toBe(200)
  const [version] = body.metadata.versions
  const sql = Object.fromEntries(
    version.representations.map(({ dialect, sql }: { dialect: string; sql: string }) => [dialect, sql]),
  )
  return { metadata: body.metadata, version, sql }
}
const readerOf = async (...buckets: string[]) => {
  const bucketPermissions = Object.fromEntries(buckets.map(id => [id, 'read']))
  return catalog.bearer((await call('POST', 'tokens', { bucketPermissions })).body.token)
}

describe('an alias in the catalog', () => {
  it('is a view on the table that holds its rows, in the dialects of Spark and Trino', async () => {
    const view = await alias()
    const { metadata, version, sql } = await load(view)
    expect(sql).toEqual({
      spark: 'SELECT `id`, `city`, `pin`, `_timestamp` FROM `in_c_source`.`orders`',
      trino: 'SELECT "id", "city", "pin", "_timestamp" FROM "millrace"."in_c_source"."orders"',
    })
    expect(version['version-id']).toBe(metadata['current-version-id'])
    expect(metadata.schemas[0].fields.map(({ name }: { name: string }) => name)).toEqual([
      'id',
      'city',
      'pin',
      '_timestamp',
    ])
    expect((await catalog.get(`namespaces/in_c_shown/views/${view}`, {}, 'HEAD')).status).toBe(204)
    const { body: list } = await catalog.get('namespaces/in_c_shown/views')
    expect(list.identifiers).toContainEqual({ namespace: ['in_c_shown'], name: view })
    expect((await catalog.get('namespaces/in_c_shown/tables')).body.identifiers).toEqual([])
  })

  it('shows its columns and its rows only, and those of the alias that it shows', async () => {
    const simple = await alias()
    const view = await alias(
      { aliasColumns: ['id'], aliasFilter: { column: 'city', operator: 'ne', values: ['Brno', ''] } },
      `${shown}.${simple.replace('_', '-')}`,
    )
    const { metadata, sql } = await load(view)
    expect(sql['trino']).toBe(
      `SELECT "id", "_timestamp" FROM "millrace"."in_c_source"."orders" WHERE (coalesce("city", '') NOT IN ('Brno', ''))`,
    )
    expect(metadata.schemas[0].fields).toHaveLength(2)
  })

  it('leaves nothing of a value to the reading of an engine', async () => {
    const values = ["it's", '\\', `\${x}`, 'ž', 'plain text']
    const { sql } = await load(await alias({ aliasFilter: { column: 'city', values } }))
    const hex = ['69742773', '5C', '247B787D', 'C5BE']
    expect(sql['spark']).toContain(
      `(${hex.map(each => `decode(X'${each}', 'UTF-8')`).join(', ')}, 'plain text')`,
    )
    expect(sql['trino']).toContain(`(${hex.map(each => `from_utf8(X'${each}')`).join(', ')}, 'plain text')`)
  })

  it.each([
    ['price', ['1.5', ''], `"price" IS NULL OR "price" IN (CAST('1.50' AS decimal(8,2)))`],
    ['price', ['1.555'], 'false'],
    ['seen', ['2026-01-31 12:00:00+02:00'], `"seen" IN (CAST('2026-01-31 10:00:00.000000 UTC' AS timestamp(6) with time zone))`],
    ['ok', ['yes'], '"ok" IN (true)'],
  ])('compares typed columns by value: %s with %j', async (column, values, condition) => {
    const name = `typed${++names}`
    const { body } = await call('POST', `buckets/${source}/tables-definition`, {
      name,
      columns: [
        { name: 'price', definition: { type: 'NUMBER', length: '8,2' } },
        { name: 'seen', definition: { type: 'TIMESTAMP_TZ' } },
        { name: 'ok', basetype: 'BOOLEAN' },
      ],
    })
    const { sql } = await load(await alias({ aliasFilter: { column, values } }, body.results.id))
    expect(sql['trino']).toMatch(/ WHERE \((.*)\)$/)
    expect(sql['trino'].split(' WHERE ')[1]).toBe(`(${condition})`)
  }) // biome-ignore format: a case, a line

  it('has another version when it shows something else', async () => {
    const view = await alias()
    const { version } = await load(view)
    await call('POST', `tables/${shown}.${view.replace('_', '-')}/alias-filter`, {
      column: 'city',
      values: ['Brno'],
    })
    const after = await load(view)
    expect(after.version['version-id']).toBeGreaterThan(version['version-id'])
    expect(after.sql['spark']).toContain("WHERE (coalesce(`city`, '') IN ('Brno'))")
  })

  it('is none for a token that may not read the table behind it: its files hold what the alias hides', async () => {
    const view = await alias({ aliasColumns: ['id'] })
    const reader = await readerOf(shown)
    const { status, body } = await catalog.get(`namespaces/in_c_shown/views/${view}`, reader)
    expect([status, body.error.type]).toEqual([403, 'ForbiddenException'])
    expect(body.error.message).toContain('export it, or query it')
    expect((await catalog.get('namespaces/in_c_shown/views', reader)).body.identifiers).toEqual([])
    const both = await readerOf(shown, source)
    expect((await catalog.get(`namespaces/in_c_shown/views/${view}`, both)).status).toBe(200)
    expect((await catalog.get(`namespaces/in_c_shown/views/${view}`, await readerOf(source))).status).toBe(
      403,
    )
  })

  it('does not hide a table of its name, and is no table', async () => {
    const view = await alias()
    const refused = await catalog.get(`namespaces/in_c_shown/tables/${view}`)
    expect([refused.status, refused.body.error.type]).toEqual([404, 'NoSuchTableException'])
    expect(refused.body.error.message).toContain('It is an alias')
    await call('POST', `buckets/${shown}/table-aliases`, { sourceTable: orders, name: 'Twice' })
    await service.createTable(shown, 'twice', 'id\n1\n')
    expect((await catalog.get('namespaces/in_c_shown/views/twice', {}, 'HEAD')).status).toBe(404)
    expect((await catalog.get('namespaces/in_c_shown/tables/twice')).status).toBe(200)
    const { body } = await catalog.get('namespaces/in_c_shown/views')
    expect(body.identifiers).toContainEqual({ namespace: ['in_c_shown'], name: `${shown}.Twice` })
    expect((await load(`${shown}.Twice`)).sql['spark']).toContain('FROM `in_c_source`.`orders`')
  })

  it('is gone with its source', async () => {
    const table = await service.createTable(source, 'short', 'id\n1\n')
    const view = await alias({}, table)
    await call('DELETE', `tables/${table}?force=1`)
    expect((await catalog.get(`namespaces/in_c_shown/views/${view}`)).status).toBe(404)
  })
})

describe('a development branch', () => {
  it('has namespaces of its own, which are listed where it has made something its own', async () => {
    const { body: branch } = await call('POST', 'dev-branches', { name: 'of views' })
    const { id } = branch.results
    const namespace = `branch_${id}_in_c_source`
    const listed = async (headers = {}) =>
      (await catalog.get('namespaces', headers)).body.namespaces
        .flat()
        .filter((name: string) => name.startsWith('branch'))
    expect(await listed()).toEqual([])
    const dataFileId = await service.upload('id,city,pin\n9,Olomouc,c\n')
    await call('POST', `branch/${id}/tables/${orders}/import-async`, { dataFileId })
    expect(await listed()).toEqual([namespace])
    expect(await listed(await readerOf(shown))).toEqual([])

    const [own, usual] = await Promise.all(
      [namespace, 'in_c_source'].map(each =>
        catalog.get(`namespaces/${each}/tables/orders`, catalog.delegated),
      ),
    )
    expect([own?.status, usual?.status]).toEqual([200, 200])
    expect(own?.body['metadata-location']).not.toBe(usual?.body['metadata-location'])
    expect(own?.body.config['client.refresh-credentials-endpoint']).toContain(namespace)
    // What it has not touched it sees as it is.
    const { body: untouched } = await catalog.get(`namespaces/branch_${id}_in_c_shown/tables/twice`)
    expect(untouched['metadata-location']).toBe(
      (await catalog.get('namespaces/in_c_shown/tables/twice')).body['metadata-location'],
    )
    const { body: view } = await catalog.get(`namespaces/branch_${id}_in_c_shown/views/view_1`)
    expect(view.metadata.versions[0].representations[0].sql).toContain(`FROM \`${namespace}\`.\`orders\``)
    const { body: found } = await catalog.get(`namespaces/branch-${id}.in.c-source`)
    expect(found.properties['bucket-id']).toBe(source)
    expect(
      (await catalog.get(`namespaces/branch_${id}_in_c_source/tables`, await readerOf(shown))).status,
    ).toBe(403)
  })

  it('that does not exist has none', async () => {
    const { status, body } = await catalog.get('namespaces/branch_999_in_c_source')
    expect([status, body.error.type]).toEqual([404, 'NoSuchNamespaceException'])
  })
})
