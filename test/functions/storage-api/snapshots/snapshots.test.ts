import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, create, load, detail, rowsOf } = await startTableRoutes()

const snapshotOf = async (tableId: string, description = 'before the change'): Promise<number> => {
  const { body } = await service.call('POST', `/v2/storage/tables/${tableId}/snapshots`, { description })
  expect(body).toMatchObject({ operationName: 'tableSnapshotCreate', status: 'success', tableId })
  return body.results.id
}

describe('a snapshot of a table', () => {
  it('keeps the table as it was, and makes a new table of it', async () => {
    const id = await service.createTable(bucketId, newName(), 'id,name\n1,a\n2,b\n', { primaryKey: 'id' })
    const snapshotId = await snapshotOf(id)
    await load(id, { dataFileId: await service.upload('id,name,more\n3,c,d\n') })

    const name = newName()
    const { body: job } = await create({ name, snapshotId })
    expect(job).toMatchObject({ operationName: 'tableCreate', status: 'success', tableId: null })
    expect(job.results).toMatchObject({
      id: `${bucketId}.${name}`,
      primaryKey: ['id'],
      columns: ['id', 'name'],
      rowsCount: 2,
    })
    expect(await rowsOf(`${bucketId}.${name}`)).toEqual(['"1","a"', '"2","b"'])
    // Both change independently from here.
    await load(`${bucketId}.${name}`, { dataFileId: await service.upload('id,name\n1,z\n'), incremental: 1 })
    expect(await rowsOf(`${bucketId}.${name}`)).toEqual(['"1","z"', '"2","b"'])
    expect(await rowsOf(id)).toEqual(['"3","c","d"'])
  })

  it('keeps the metadata of the table and its columns', async () => {
    const id = await service.createTable(bucketId, newName(), 'id,a\n1,x\n')
    const set = (body: unknown) => service.call('POST', `/v2/storage/tables/${id}/metadata`, body)
    await set({
      provider: 'test',
      metadata: [{ key: 'k', value: 'before' }],
      columnsMetadata: { a: [{ key: 'c', value: 'of a' }] },
    })
    const snapshotId = await snapshotOf(id)
    await set({ provider: 'test', metadata: [{ key: 'k', value: 'after' }] })
    const { body: job } = await create({ name: newName(), snapshotId })
    const restored = await detail(job.results.id)
    expect(restored.metadata).toMatchObject([{ key: 'k', value: 'before', provider: 'test' }])
    expect(restored.columnMetadata).toMatchObject({ a: [{ key: 'c', value: 'of a' }] })
    // A deleted column loses its metadata.
    await service.call('DELETE', `/v2/storage/tables/${id}/columns/a`)
    await service.call('POST', `/v2/storage/tables/${id}/columns`, { name: 'a' })
    expect((await detail(id)).columnMetadata).toEqual({})
  })

  it('gives its rows back to the table, which keeps all else', async () => {
    const id = await service.createTable(bucketId, newName(), 'id,name\n1,a\n2,b\n', { primaryKey: 'id' })
    const snapshotId = await snapshotOf(id)
    const restore = (from: number, to = id) =>
      service.call('POST', `/v2/storage/tables/${to}/snapshots/${from}/restore`, {})
    await service.call('DELETE', `/v2/storage/tables/${id}/rows?whereColumn=id&whereValues[]=1`)
    await load(id, { dataFileId: await service.upload('id,name\n2,z\n3,c\n'), incremental: 1 })
    const worse = await snapshotOf(id, 'worse')
    const { body } = await restore(snapshotId)
    expect(body).toMatchObject({
      operationName: 'tableRestore',
      status: 'success',
      results: { restoredRows: 2, replacedRows: 2 },
    })
    expect(await rowsOf(id)).toEqual(['"1","a"', '"2","b"'])
    expect((await detail(id)).rowsCount).toBe(2)
    // It is loaded as before, and the way back is one, too.
    await load(id, { dataFileId: await service.upload('id,name\n2,y\n'), incremental: 1 })
    expect(await rowsOf(id)).toEqual(['"1","a"', '"2","y"'])
    await restore(worse)
    expect((await rowsOf(id)).toSorted()).toEqual(['"2","z"', '"3","c"'])

    const other = await service.createTable(bucketId, newName(), 'id,name\n1,a\n', { primaryKey: 'id' })
    expect((await restore(snapshotId, other)).body.error.code).toBe('storage.snapshots.otherShape')
    await service.call('POST', `/v2/storage/tables/${id}/columns`, { name: 'more' })
    expect((await restore(snapshotId)).body.error.code).toBe('storage.snapshots.otherShape')
    expect((await restore(1)).status).toBe(404)
  })

  it('outlives its table', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n')
    const snapshotId = await snapshotOf(id)
    await service.call('DELETE', `/v2/storage/tables/${id}`)
    const name = id.split('.').at(-1)
    expect((await create({ name, snapshotId })).body.status).toBe('success')
    expect(await rowsOf(id)).toEqual(['"1"'])
  })

  it('is listed newest first, and deleted', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n')
    const [first, second] = [await snapshotOf(id, 'first'), await snapshotOf(id, 'second')]
    const list = async (query = '') =>
      (await service.call('GET', `/v2/storage/tables/${id}/snapshots${query}`)).body.map(
        (snapshot: { id: string }) => Number(snapshot.id),
      )
    expect(await list()).toEqual([second, first])
    expect(await list('?limit=1&offset=1')).toEqual([first])

    const { status, body: job } = await service.call('DELETE', `/v2/storage/snapshots/${first}`)
    expect([status, job.operationName, job.status]).toEqual([202, 'tableSnapshotDelete', 'success'])
    expect(await list()).toEqual([second])
    expect(await service.call('GET', `/v2/storage/snapshots/${first}`)).toMatchObject({
      status: 404,
      body: { code: 'storage.snapshots.notFound' },
    })
    expect((await create({ name: newName(), snapshotId: first })).status).toBe(404)
  })
})

describe('a table made of another', () => {
  it('is its copy', async () => {
    const id = await service.createTable(bucketId, newName(), 'id\n1\n', { primaryKey: 'id' })
    const name = newName()
    const { body: job } = await create({ name, sourceTableId: id })
    expect(job.results).toMatchObject({ id: `${bucketId}.${name}`, rowsCount: 1, primaryKey: ['id'] })
    expect((await detail(`${bucketId}.${name}`)).lastImportDate).toMatch(/^\d{4}-\d\d-\d\dT/)
  })

  it('needs the other one', async () => {
    const { status, body } = await create({ name: newName(), sourceTableId: `${bucketId}.none` })
    expect([status, body.code]).toEqual([404, 'storage.tables.notFound'])
  })
})

describe('a table among many that others keep snapshots of', () => {
  it('lists its own with reads of its own', async () => {
    let read = 0
    const counting = await withStorage({
      items: items => ({
        ...items,
        async *query(...asked) {
          for await (const item of items.query(...asked)) {
            read++
            yield item
          }
        },
      }),
    })
    const bucket = await counting.createBucket('main')
    const [mine, theirs] = [
      await counting.createTable(bucket, 'mine', 'id\n1\n'),
      await counting.createTable(bucket, 'theirs', 'id\n1\n'),
    ]
    const at = (tableId: string) => `/v2/storage/tables/${tableId}/snapshots`
    for (const table of [theirs, mine]) await counting.call('POST', at(table), { description: 'kept' })
    const listed = async () => {
      read = 0
      const { body } = await counting.call('GET', `${at(mine)}?limit=1000`)
      return { listed: body.length, read }
    }
    const alone = await listed()
    const { snapshots } = counting.stores
    const { body } = await counting.call('GET', at(theirs))
    const kept = await snapshots.get(Number(body[0].id))
    if (!kept) throw new Error('The snapshot of the other table is gone')
    for (let more = 1; more <= 300; more++)
      await counting.items.transact(snapshots.inserting({ ...kept, id: kept.id + more }))
    expect(alone.listed).toBe(1)
    expect(await listed()).toEqual(alone)
  })
})
