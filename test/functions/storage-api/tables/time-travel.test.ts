import { beforeEach, describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const DAY_MS = 86_400_000
const start = Date.parse('2026-03-01T10:00:00.250Z')

let nowMs = start
const service = await withStorage({ now: () => new Date(nowMs) })
const bucketId = await service.createBucket('main')
beforeEach(() => {
  nowMs += 30 * DAY_MS
})

let tables = 0
const newName = () => `t${++tables}`
const restore = async (sourceTableId: string, timestamp: string, headers = {}, bucket = bucketId) => {
  const name = newName()
  const path = `/v2/storage/buckets/${bucket}/tables-async`
  const { status, body } = await service.call('POST', path, { name, sourceTableId, timestamp }, headers)
  return { status, body, id: `${bucket}.${name}` }
}
const change = async (method: string, path: string, body?: unknown) => {
  nowMs += 60_000
  const { body: job } = await service.call(method, `/v2/storage/tables/${path}`, body)
  expect(job.status).toBe('success')
}
const load = async (tableId: string, csv: string, incremental = 1) =>
  change('POST', `${tableId}/import-async`, { dataFileId: await service.upload(csv), incremental })
/** Rows in order, with the columns and the key. */
const contentOf = async (tableId: string) => {
  const { columns, primaryKey } = (await service.call('GET', `/v2/storage/tables/${tableId}`)).body
  const { text } = await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)
  return { columns, primaryKey, rows: text.trimEnd().split('\n').slice(1).toSorted() }
}

describe('a table that is created as another one was', () => {
  it('has the rows, columns and key of any time since that was created', async () => {
    const id = await service.createTable(bucketId, newName(), 'id,a\n1,x\n2,y\n')
    const times: { at: string; content: unknown }[] = []
    const note = async () => {
      times.push({ at: new Date(nowMs).toISOString(), content: await contentOf(id) })
    }
    await note()
    await load(id, 'id,a\n3,z\n')
    await note()
    await change('POST', `${id}/columns`, { name: 'b' })
    await note()
    await change('POST', `${id}/primary-key`, { columns: ['id'] })
    await note()
    await load(id, 'id,a,b\n1,changed,new\n')
    await note()
    await change('DELETE', `${id}/rows?whereColumn=id&whereValues[]=2`)
    await note()
    await change('DELETE', `${id}/primary-key`)
    await change('DELETE', `${id}/columns/a`)
    await note()
    await load(id, 'id,b\n9,only\n', 0)
    await note()
    for (const { at, content } of times) {
      const { body, id: restored } = await restore(id, at)
      expect(body).toMatchObject({ status: 'success', operationName: 'tableCreate' })
      expect(await contentOf(restored)).toEqual(content)
    }
    expect(new Set(times.map(({ content }) => JSON.stringify(content))).size).toBe(times.length)
  })

  it('changes on its own afterwards, and so does the other one', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n', { primaryKey: 'id' })
    const at = new Date(nowMs).toISOString()
    await load(id, 'id\n2\n')
    const { id: restored } = await restore(id, at)
    await load(restored, 'id\n7\n')
    await load(id, 'id\n3\n', 0)
    expect((await contentOf(restored)).rows).toEqual(['"1"', '"7"'])
    expect((await contentOf(id)).rows).toEqual(['"3"'])
  })

  it('can be empty, with the columns of then', async () => {
    const name = newName()
    const columns = [{ name: 'id' }, { name: 'n' }]
    const path = `/v2/storage/buckets/${bucketId}/tables-definition`
    await service.call('POST', path, { name, primaryKeysNames: ['id'], columns })
    const at = new Date(nowMs).toISOString()
    await load(`${bucketId}.${name}`, 'id,n\n1,2\n')
    const { id: restored } = await restore(`${bucketId}.${name}`, at)
    expect(await contentOf(restored)).toEqual({ columns: ['id', 'n'], primaryKey: ['id'], rows: [] })
  })

  it('keeps metadata and declared types', async () => {
    const name = newName()
    const columns = [{ name: 'id', definition: { type: 'VARCHAR', length: '10', nullable: false } }]
    const path = `/v2/storage/buckets/${bucketId}/tables-definition`
    await service.call('POST', path, { name, primaryKeysNames: [], columns })
    const id = `${bucketId}.${name}`
    const metadata = { provider: 'user', metadata: [{ key: 'k', value: 'v' }] }
    await service.call('POST', `/v2/storage/tables/${id}/metadata`, metadata)
    const at = new Date(nowMs).toISOString()
    await change('POST', `${id}/columns`, { name: 'later', basetype: 'STRING' })
    const { body } = await service.call('GET', `/v2/storage/tables/${(await restore(id, at)).id}`)
    expect(body).toMatchObject({ isTyped: true, columns: ['id'] })
    expect(body.metadata).toContainEqual(expect.objectContaining({ key: 'k', value: 'v' }))
    expect(body.definition.columns).toMatchObject([{ name: 'id', definition: { type: 'VARCHAR' } }])
    expect(body.definition.columns).toHaveLength(1)
  })

  it('is what the dates of the API say: a time in whole seconds is the end of its second', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n')
    const { body: detail } = await service.call('GET', `/v2/storage/tables/${id}`)
    expect(new Date(detail.lastChangeDate).getTime()).toBeLessThan(nowMs)
    await load(id, 'id\n2\n')
    const { id: restored } = await restore(id, detail.lastChangeDate)
    expect((await contentOf(restored)).rows).toEqual(['"1"'])
  })

  it('says in its job and its event what it was made of', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n')
    const { body: job, id: restored } = await restore(id, new Date(nowMs).toISOString())
    expect(job.operationParams.source).toEqual({
      sourceTableId: id,
      destinationTableName: restored.slice(restored.lastIndexOf('.') + 1),
      timestamp: expect.stringMatching(/\+0000$/),
      type: 'timeTravel',
    })
    const created = `/v2/storage/tables/${restored}/events?q=event:storage.tableCreated`
    // The job's event comes after the end of the job.
    await expect
      .poll(async () => (await service.call('GET', created)).body)
      .toMatchObject([{ params: { source: { sourceTableId: id, type: 'timeTravel' } } }])
  })
})

describe('a time that no table can be made of', () => {
  it('lies before the table, even when another one had the name then', async () => {
    const name = newName()
    const id = await service.createTable(bucketId, name, 'id\n1\n')
    const before = new Date(nowMs - 1000).toISOString()
    const first = new Date(nowMs).toISOString()
    expect(await restore(id, before)).toMatchObject({
      status: 400,
      body: { code: 'storage.timetravel.invalid' },
    })
    await service.call('DELETE', `/v2/storage/tables/${id}`)
    nowMs += 60_000
    await service.createTable(bucketId, name, 'id\n2\n')
    expect((await restore(id, first)).body.code).toBe('storage.timetravel.invalid')
  })

  it('lies in the future, or is none', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n')
    const { status, body } = await restore(id, new Date(nowMs + 120_000).toISOString())
    expect([status, body.code]).toEqual([400, 'storage.timetravel.invalid'])
    expect((await restore(id, new Date(nowMs + 30_000).toISOString())).status).toBe(202)
    expect((await restore(id, 'next week')).body.code).toBe('storage.tables.validation')
  })

  it('is no longer kept', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n')
    const at = new Date(nowMs).toISOString()
    await load(id, 'id\n2\n', 0)
    nowMs += 6.9 * DAY_MS
    await service.stores.tables.expireSnapshots(bucketId, new Date(nowMs))
    expect((await restore(id, at)).body.status).toBe('success')
    nowMs += 0.2 * DAY_MS
    await service.stores.tables.expireSnapshots(bucketId, new Date(nowMs))
    const { body: job } = await restore(id, at)
    expect(job).toMatchObject({ status: 'error', error: { code: 'storage.timetravel.invalid' } })
    expect(job.error.message).toContain('not kept any more')
  })
})

it('after very many changes the key is left out, which a warning says', async () => {
  const id = await service.createTable(bucketId, newName(), 'id\n0\n', { primaryKey: 'id' })
  const at = new Date(nowMs).toISOString()
  for (let row = 1; row <= 21; row++) await load(id, `id\n${row}\n`)
  const { body: job, id: restored } = await restore(id, at)
  expect(job.results.warnings).toEqual([expect.stringContaining('primary key is not known')])
  expect(await contentOf(restored)).toEqual({ columns: ['id'], primaryKey: [], rows: ['"0"'] })
})

it('needs the right to read the one bucket and to write the other', async () => {
  const other = await service.createBucket('other')
  const id = await service.createTable(bucketId, newName(), 'id\n1\n')
  const at = new Date(nowMs).toISOString()
  const tokenWith = async (bucketPermissions: Record<string, string>) => {
    const { body } = await service.call('POST', '/v2/storage/tokens', { bucketPermissions })
    return { 'X-StorageApi-Token': body.token }
  }
  const asked = async (permissions: Record<string, string>) =>
    (await restore(id, at, await tokenWith(permissions), other)).status
  expect(await asked({ [bucketId]: 'read', [other]: 'write' })).toBe(202)
  expect(await asked({ [bucketId]: 'read', [other]: 'read' })).toBe(403)
  expect(await asked({ [other]: 'write' })).toBe(403)
})
