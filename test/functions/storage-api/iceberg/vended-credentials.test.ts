import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { sessionPolicy, wholeTables } from '#functions/storage-api/iceberg/access/vend-credentials.ts'
import { NONE } from '#lib/none.ts'
import { readerOf, s3Of } from '#support/catalog-reader.ts'
import { withStorage } from '#support/storage-service.ts'
import { tablesAtOnce } from '#support/tables-at-once.ts'
import { untilEnd } from '#support/until-end.ts'
import { createCatalogClient } from './support.ts'

const service = await withStorage()
const catalog = createCatalogClient(service)
for (const name of ['main', 'copies']) await service.createBucket(name)

const load = async (tableId: string, csv: string) => {
  const dataFileId = await service.upload(csv)
  const target = `/v2/storage/tables/${tableId}/import-async`
  const { body } = await service.call('POST', target, { dataFileId, incremental: 1 })
  expect(body.status).toBe('success')
}
const copyOf = async (tableId: string, name: string) => {
  const { body: kept } = await service.call('POST', `/v2/storage/tables/${tableId}/snapshots`, {})
  const { body } = await service.call('POST', '/v2/storage/buckets/in.c-copies/tables-async', {
    name,
    snapshotId: kept.results.id,
  })
  expect(body.status).toBe('success')
}
const keysOf = async (tableId: string): Promise<string[]> =>
  ((await service.stores.tables.get(tableId))?.snapshot.files ?? []).map(({ key }) => key)
const prefixOf = async (tableId: string): Promise<string> =>
  `tables/${(await service.stores.tables.getHead(tableId))?.internalId}/`

const denied = expect.objectContaining({ name: 'AccessDenied' })
const limitedReader = async (bucketId: string) => {
  const bucketPermissions = { [bucketId]: 'read' }
  const { body } = await service.call('POST', '/v2/storage/tokens', { bucketPermissions })
  return catalog.bearer(body.token)
}

describe('vended credentials', () => {
  it('read the objects of their table, list them, and nothing else', async () => {
    const tableId = await service.createTable('in.c-main', 'orders', 'id\n1\n')
    const other = await service.createTable('in.c-main', 'other', 'id\n1\n')
    const { body } = await catalog.get('namespaces/in_c_main/tables/orders', catalog.delegated)
    const [{ prefix, config }, ...more] = body['storage-credentials']
    expect(more).toEqual([])
    expect(body.config).toEqual(config)
    expect(prefix).toBe(`s3://tables/${await prefixOf(tableId)}`)
    expect(Number(config['s3.session-token-expires-at-ms'])).toBeGreaterThan(Date.now() + 3_500_000)
    const s3 = await untilEnd(s3Of(config))
    const read = readerOf(s3)
    await read(body['metadata-location'])
    for (const key of await keysOf(tableId)) await read(`s3://tables/${key}`)
    for (const key of await keysOf(other)) await expect(read(`s3://tables/${key}`)).rejects.toEqual(denied)
    const otherHead = await service.stores.tables.getHead(other)
    await expect(read(`s3://tables/${otherHead?.metadataKey}`)).rejects.toEqual(denied)
    await expect(read('s3://tables/sweep/unnamed-objects.json')).rejects.toEqual(denied)
    await expect(read('s3://files/exp-15/x')).rejects.toEqual(denied)

    const own = { Bucket: 'tables', Prefix: await prefixOf(tableId) }
    expect((await s3.send(new ListObjectsV2Command(own))).KeyCount).toBeGreaterThan(1)
    for (const Prefix of [undefined, '', 'tables/', await prefixOf(other)])
      await expect(s3.send(new ListObjectsV2Command({ Bucket: 'tables', Prefix }))).rejects.toEqual(denied)
    const [Key = ''] = await keysOf(tableId)
    const write = new PutObjectCommand({ Bucket: 'tables', Key, Body: 'x' })
    await expect(s3.send(write)).rejects.toEqual(denied)
    const remove = new DeleteObjectCommand({ Bucket: 'tables', Key })
    await expect(s3.send(remove)).rejects.toEqual(denied)
  })

  it('of a copy read the files that it shares, and not what came into the other table later', async () => {
    const source = await service.createTable('in.c-main', 'source', 'id\n1\n')
    await copyOf(source, 'copy')
    const shared = await keysOf(source)
    await load(source, 'id\n2\n')
    const later = (await keysOf(source)).filter(key => !shared.includes(key))
    expect(later.length).toBeGreaterThan(0)

    const headers = { ...(await limitedReader('in.c-copies')), ...catalog.delegated }
    const { body } = await catalog.get('namespaces/in_c_copies/tables/copy', headers)
    const [{ prefix, config }, second, ...more] = body['storage-credentials']
    expect(prefix).toBe('s3://tables/')
    // Of one entry alone DuckDB takes the table's own folder for its prefix.
    expect([second.config, more]).toEqual([config, []])
    expect(second.prefix).toMatch(/^http.*\/tables\/$/)
    const s3 = await untilEnd(s3Of(config))
    const read = readerOf(s3)
    for (const key of shared) await read(`s3://tables/${key}`)
    for (const key of later) await expect(read(`s3://tables/${key}`)).rejects.toEqual(denied)
  })

  it('of a copy still read what its older snapshots share', async () => {
    const source = await service.createTable('in.c-main', 'older', 'id\n1\n', { primaryKey: 'id' })
    await copyOf(source, 'older')
    const shared = await keysOf(source)
    const dataFileId = await service.upload('id\n5\n')
    await service.call('POST', '/v2/storage/tables/in.c-copies.older/import-async', { dataFileId })
    expect((await keysOf('in.c-copies.older')).some(key => shared.includes(key))).toBe(false)
    const { body } = await catalog.get('namespaces/in_c_copies/tables/older/credentials')
    const s3 = await untilEnd(s3Of(body['storage-credentials'][0].config))
    for (const key of shared) await readerOf(s3)(`s3://tables/${key}`)
  })

  it('are renewed at the address that they name', async () => {
    await service.createTable('in.c-main', 'Long-query', 'id\n1\n')
    const { body } = await catalog.get('namespaces/in_c_main/tables/long_query', catalog.delegated)
    const refresh = body.config['client.refresh-credentials-endpoint']
    expect(refresh).toBe('v1/namespaces/in_c_main/tables/long_query/credentials')
    const renewed = await catalog.get(refresh.replace('v1/', ''))
    expect(Object.keys(renewed.body['storage-credentials'][0].config)).toEqual(Object.keys(body.config))
  })

  it('are an event of the table, which does not hold them', async () => {
    const tableId = await service.createTable('in.c-main', 'noted', 'id\n1\n')
    const { body } = await catalog.get('namespaces/in_c_main/tables/noted', catalog.delegated)
    const events = await service.call('GET', `/v2/storage/tables/${tableId}/events`)
    const found = events.body.find(
      ({ event }: { event: string }) => event === 'storage.tableCredentialsCreated',
    )
    expect(found).toMatchObject({ objectId: tableId, token: { id: 42 } })
    expect(events.text).not.toContain(body.config['s3.secret-access-key'])
  })

  it('are not given to a token that may not read the bucket', async () => {
    await service.createTable('in.c-main', 'hidden', 'id\n1\n')
    const headers = { ...(await limitedReader('in.c-copies')), ...catalog.delegated }
    for (const path of ['', '/credentials']) {
      const { status, text } = await catalog.get(`namespaces/in_c_main/tables/hidden${path}`, headers)
      expect(status).toBe(403)
      expect(text).not.toContain('s3.')
    }
  })
})

describe('the policy of a session', () => {
  const folders = (count: number) => ({
    own: 'tables/1700000000000001/',
    shared: Array.from(
      { length: count },
      (_, index) => `tables/1700000000000002/${1_700_000_000_000_100 + index}/`,
    ),
  })

  it('has room for 25 jobs of other tables', () => {
    const bucket = 'a-bucket-with-the-longest-name-that-the-object-store-takes-63ch'
    const place = { partition: 'aws', bucket, dataKeyArn: NONE }
    expect(sessionPolicy(place, folders(25)).length).toBeLessThanOrEqual(2048)
    expect(sessionPolicy(place, folders(40)).length).toBeGreaterThan(2048)
  })

  it('names the partition that the role is in', () => {
    const policy = sessionPolicy({ partition: 'aws-cn', bucket: 'b', dataKeyArn: NONE }, folders(1))
    expect(policy.match(/arn:[^:]+/g)).toEqual(['arn:aws-cn', 'arn:aws-cn', 'arn:aws-cn'])
  })

  it('includes the use of the customer’s key that tables are under', () => {
    const dataKeyArn = 'arn:aws:kms:eu-west-1:123456789012:key/1'
    const policy = sessionPolicy({ partition: 'aws', bucket: 'b', dataKeyArn }, folders(1))
    expect(JSON.parse(policy).Statement.at(-1)).toEqual({
      Effect: 'Allow',
      Action: 'kms:Decrypt',
      Resource: dataKeyArn,
    })
  })

  it('names whole tables in place of their jobs', () => {
    expect(wholeTables(folders(40))).toEqual({ own: folders(0).own, shared: ['tables/1700000000000002/'] })
  })
})

it('a table that shares files of more loads than a policy names is refused to who may not read the others', async () => {
  const source = await service.createTable('in.c-main', 'many', 'id\n0\n')
  await copyOf(source, 'many')
  const head = await service.stores.tables.get('in.c-copies.many')
  if (!head) throw new Error('the copy is not there')
  // As after forty large loads, which are never merged.
  const [file] = head.snapshot.files
  if (!file) throw new Error('the copy has no file')
  const files = Array.from({ length: 40 }, (_, index) => ({
    ...file,
    key: `tables/1700000000000002/${1_700_000_000_000_100 + index}/0.parquet`,
  }))
  const { metadataKey: _, ...fresh } = head
  await service.call('DELETE', '/v2/storage/tables/in.c-copies.many')
  await tablesAtOnce(service.stores.tables).insert({ ...fresh, snapshot: { ...head.snapshot, files } })

  const path = 'namespaces/in_c_copies/tables/many/credentials'
  expect((await catalog.get(path)).status).toBe(200)
  const { status, body } = await catalog.get(path, await limitedReader('in.c-copies'))
  expect(status).toBe(400)
  expect(body.error.message).toContain('shares files of 40 loads')
})
