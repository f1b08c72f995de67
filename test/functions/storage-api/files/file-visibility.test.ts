import { describe, expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName } = await startTableRoutes()

const newToken = async (settings: Record<string, unknown> = {}): Promise<Record<string, string>> => {
  const { body } = await service.call('POST', '/v2/storage/tokens', {
    description: 'a token of the test',
    bucketPermissions: { [bucketId]: 'write' },
    ...settings,
  })
  return { 'X-StorageApi-Token': body.token }
}

const files = '/v2/storage/files'
const prepare = async (token: Record<string, string>): Promise<number> =>
  (await service.call('POST', `${files}/prepare`, { name: 'own.csv', federationToken: 1 }, token)).body.id
const listed = async (token: Record<string, string>): Promise<number[]> =>
  (await service.call('GET', files, undefined, token)).body.map((file: { id: number }) => file.id)

describe('a file', () => {
  it('is seen by the token that made it, and by those that see all', async () => {
    const [own, other] = [await newToken(), await newToken()]
    const all = await newToken({ canReadAllFileUploads: true })
    const id = await prepare(own)
    const statusOf = async (token: Record<string, string>) =>
      (await service.call('GET', `${files}/${id}`, undefined, token)).status
    expect(await statusOf(own)).toBe(200)
    expect(await statusOf(all)).toBe(200)
    expect(await statusOf({})).toBe(200)
    expect(await statusOf(other)).toBe(403)
    expect(await listed(own)).toEqual([id])
    expect(await listed(other)).toEqual([])
    expect(await listed(all)).toContain(id)
  })

  it('is loaded by those that see it, and neither tagged nor deleted by them', async () => {
    const all = await newToken({ canReadAllFileUploads: true, canManageBuckets: true })
    const id = await service.upload('id\n1\n')
    for (const [method, path, body] of [
      ['POST', `${files}/${id}/tags`, { tag: 'x' }],
      ['DELETE', `${files}/${id}/tags/x`, undefined],
      ['DELETE', `${files}/${id}`, undefined],
      ['DELETE', `${files}/${id}?async=1`, undefined],
    ] as const) {
      const reply = await service.call(method, path, body, all)
      expect([path, reply.status, reply.body.code]).toEqual([path, 403, 'accessDenied'])
    }
    const table = { name: newName(), dataFileId: id }
    const { body } = await service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, table, all)
    expect(body.status).toBe('success')
  })

  it('is neither changed nor loaded by those that do not see it', async () => {
    const other = await newToken()
    const id = await service.upload('id\n1\n')
    const refused = [
      ['POST', `${files}/${id}/tags`, { tag: 'x' }],
      ['DELETE', `${files}/${id}/tags/x`, undefined],
      ['DELETE', `${files}/${id}`, undefined],
      ['DELETE', `${files}/${id}?async=1`, undefined],
      ['POST', `/v2/storage/buckets/${bucketId}/tables-async`, { name: newName(), dataFileId: id }],
    ] as const
    for (const [method, path, body] of refused) {
      const reply = await service.call(method, path, body, other)
      expect([path, reply.status, reply.body.code]).toEqual([path, 403, 'accessDenied'])
    }
  })
})

describe('an export', () => {
  it('is a file that each token which asked for it may read, and only the first one may change', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'id\n1\n')
    const path = `/v2/storage/tables/${tableId}/export-async`
    const first = (await service.call('POST', path, {})).body.results
    const own = await newToken({ bucketPermissions: { [bucketId]: 'write' } })
    const second = (await service.call('POST', path, {}, own)).body.results
    expect(second).toEqual({ file: first.file, cacheHit: true })
    const shared = `${files}/${first.file.id}`
    expect((await service.call('GET', shared, undefined, own)).status).toBe(200)
    expect((await service.call('DELETE', shared, undefined, own)).status).toBe(403)
    expect((await service.call('POST', `${shared}/tags`, { tag: 'x' }, own)).status).toBe(403)
    const stranger = await newToken({ bucketPermissions: { [bucketId]: 'read' } })
    expect((await service.call('GET', shared, undefined, stranger)).status).toBe(403)
  })

  it('needs no more than the right to read the bucket', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'id\n1\n')
    const path = `/v2/storage/tables/${tableId}`
    const reader = await newToken({ bucketPermissions: { [bucketId]: 'read' } })
    expect((await service.call('POST', `${path}/export-async`, {}, reader)).status).toBe(202)
    for (const [method, rest] of [
      ['POST', '/columns'],
      ['DELETE', '/rows?allowTruncate=1'],
      ['POST', '/snapshots'],
      ['PUT', ''],
    ] as const)
      expect((await service.call(method, `${path}${rest}`, { name: 'x' }, reader)).status).toBe(403)
    const stranger = await newToken({ bucketPermissions: {} })
    expect((await service.call('POST', `${path}/export-async`, {}, stranger)).status).toBe(403)
  })
})

describe('a snapshot', () => {
  it('is seen, used and deleted with the rights on its bucket', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'id\n1\n')
    const { body } = await service.call('POST', `/v2/storage/tables/${tableId}/snapshots`, {})
    const path = `/v2/storage/snapshots/${body.results.id}`
    const reader = await newToken({ bucketPermissions: { [bucketId]: 'read' } })
    const other = await service.createBucket('other')
    const stranger = await newToken({ bucketPermissions: { [other]: 'write' } })
    expect((await service.call('GET', path, undefined, reader)).status).toBe(200)
    expect((await service.call('DELETE', path, undefined, reader)).status).toBe(403)
    expect((await service.call('GET', path, undefined, stranger)).status).toBe(403)
    for (const source of [{ snapshotId: body.results.id }, { sourceTableId: tableId }]) {
      const copy = { name: newName(), ...source }
      const reply = await service.call('POST', `/v2/storage/buckets/${other}/tables-async`, copy, stranger)
      expect(reply.status).toBe(403)
    }
  })
})

describe('the importer', () => {
  it('writes only to tables that the token may write to', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'id\n1\n')
    const reader = await newToken({ bucketPermissions: { [bucketId]: 'read' } })
    const form = new FormData()
    form.append('tableId', tableId)
    form.append('data', new Blob(['id\n2\n']), 'a.csv')
    const reply = await service.fetchReply(
      new Request('http://storage.test/write-table', { method: 'POST', headers: reader, body: form }),
    )
    expect(reply.status).toBe(403)
  })
})
