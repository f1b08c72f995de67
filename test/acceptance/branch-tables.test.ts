import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const run = Date.now().toString(36)
const target = await connectTarget()

const createTable = async (bucketId: string, name: string, content: string, at = '') => {
  const job = await target.job('POST', `${at}buckets/${bucketId}/tables-async`, {
    name,
    dataFileId: await target.upload(content),
  })
  expect(job).toMatchObject({ status: 'success' })
  return job.results.id
}
const load = async (tableId: string, content: string, at = '', settings = {}) => {
  const dataFileId = await target.upload(content)
  return target.job('POST', `${at}tables/${tableId}/import-async`, { dataFileId, ...settings })
}
const rowsOf = async (tableId: string, at = ''): Promise<string[]> => {
  const { text } = await target.call('GET', `${at}tables/${tableId}/data-preview`)
  return text.trimEnd().split('\n').slice(1).toSorted()
}
const tablesIn = async (bucketId: string, at = ''): Promise<string[]> =>
  (await target.call('GET', `${at}buckets/${bucketId}/tables`)).body.map((one: { name: string }) => one.name)

describe('a table in a branch', () => {
  it('is the default one until the branch writes it, and separate from then on', async () => {
    const bucketId = await target.createBucket('read-through')
    const tableId = await createTable(bucketId, 't', 'n\n0\n')
    const { id, at } = await target.createBranch()
    await load(tableId, 'n\n1\n', '', { incremental: 1 })
    expect(await rowsOf(tableId, at)).toEqual(['"0"', '"1"'])
    expect((await target.call('GET', `${at}tables/${tableId}`)).body.bucket.idBranch).toBe(1)

    const job = await load(tableId, 'n\n2\n', at, { incremental: 1 })
    expect(job).toMatchObject({
      status: 'success',
      operationParams: { branchId: id },
      results: { importedRowsCount: 1, totalRowsCount: 3 },
    })
    await load(tableId, 'n\n3\n', '', { incremental: 1 })
    expect(await rowsOf(tableId, at)).toEqual(['"0"', '"1"', '"2"'])
    expect(await rowsOf(tableId)).toEqual(['"0"', '"1"', '"3"'])
    expect((await target.call('GET', `${at}tables/${tableId}`)).body.bucket.idBranch).toBe(id)
  })

  it('is changed in its columns, key, rows and name without touching the default one', async () => {
    const bucketId = await target.createBucket('changes')
    const tableId = await createTable(bucketId, 't', 'id,a\n1,x\n2,y\n')
    const { at } = await target.createBranch()
    const table = `${at}tables/${tableId}`
    for (const [method, path, body] of [
      ['POST', `${table}/columns`, { name: 'b' }],
      ['POST', `${table}/primary-key`, { columns: ['id'] }],
      ['DELETE', `${table}/columns/a`, undefined],
      ['DELETE', `${table}/rows?whereColumn=id&whereValues[]=1`, undefined],
      ['PUT', `${table}?async=1`, { displayName: 'renamed' }],
    ] as const)
      expect(await target.job(method, path, body)).toMatchObject({ status: 'success' })
    expect((await target.call('GET', table)).body).toMatchObject({
      displayName: 'renamed',
      columns: ['id', 'b'],
      primaryKey: ['id'],
      rowsCount: 1,
    })
    expect((await target.call('GET', `tables/${tableId}`)).body).toMatchObject({
      displayName: 't',
      columns: ['id', 'a'],
      primaryKey: [],
      rowsCount: 2,
    })
  })

  it('is hidden by its deletion there, can be made anew, and stays in the default branch', async () => {
    const bucketId = await target.createBucket('tombstone')
    const tableId = await createTable(bucketId, 't', 'n\n0\n')
    const { at } = await target.createBranch()
    expect((await target.call('DELETE', `${at}tables/${tableId}`)).status).toBe(204)
    expect((await target.call('GET', `${at}tables/${tableId}`)).status).toBe(404)
    expect(await tablesIn(bucketId, at)).toEqual([])
    expect(await rowsOf(tableId)).toEqual(['"0"'])

    await createTable(bucketId, 't', 'other\n9\n', at)
    expect(await rowsOf(tableId, at)).toEqual(['"9"'])
    expect(await rowsOf(tableId)).toEqual(['"0"'])
    expect(await target.job('DELETE', `${at}tables/${tableId}?async=1`)).toMatchObject({ status: 'success' })
    expect((await target.call('GET', `${at}tables/${tableId}`)).status).toBe(404)
  })

  it('outlives the default one with its bucket', async () => {
    const bucketId = await target.createBucket('outlives')
    const tableId = await createTable(bucketId, 'written', 'n\n0\n')
    await createTable(bucketId, 'only-read', 'n\n0\n')
    const { at } = await target.createBranch()
    await load(tableId, 'n\n1\n', at)
    expect((await target.call('DELETE', `buckets/${bucketId}?force=1`)).status).toBe(204)
    expect(await tablesIn(bucketId, at)).toEqual(['written'])
    expect(await rowsOf(tableId, at)).toEqual(['"1"'])
  })

  it('is exported from elsewhere to a file of whoever asks', async () => {
    const bucketId = await target.createBucket('export-of-branch')
    const tableId = await createTable(bucketId, 't', 'n\n0\n')
    const [{ id, at }, other] = [await target.createBranch(), await target.createBranch()]
    await load(tableId, 'n\n1\n', at)
    for (const asked of ['', other.at, at]) {
      const job = await target.job('POST', `${asked}tables/${tableId}/export-async`, { sourceBranchId: id })
      const { status, body } = await target.call('GET', `${asked}files/${job.results.file.id}`)
      expect([asked, status, body.sizeBytes]).toEqual([asked, 200, 4])
    }
  })

  it('is exported to a file of the branch, also when the default one was exported before', async () => {
    const bucketId = await target.createBucket('export')
    const tableId = await createTable(bucketId, 't', 'n\n0\n')
    const { at } = await target.createBranch()
    const ofDefault = await target.job('POST', `tables/${tableId}/export-async`)
    const ofBranch = await target.job('POST', `${at}tables/${tableId}/export-async`)
    expect(ofBranch.results.file.id).not.toBe(ofDefault.results.file.id)
    const listed = async (prefix: string) =>
      (await target.call('GET', `${prefix}files?limit=1000`)).body.map((file: { id: number }) => file.id)
    expect(await listed(at)).toEqual([ofBranch.results.file.id])
    expect(await listed('')).not.toContain(ofBranch.results.file.id)
  })

  it('has snapshots and metadata of its own', async () => {
    const bucketId = await target.createBucket('snapshots')
    const tableId = await createTable(bucketId, 't', 'n\n0\n')
    const table = (at: string) => `${at}tables/${tableId}`
    const set = (at: string, value: string) =>
      target.call('POST', `${table(at)}/metadata`, { provider: 'user', metadata: [{ key: 'k', value }] })
    const valuesOf = async (at: string) =>
      (await target.call('GET', `${table(at)}/metadata`)).body.map((each: { value: string }) => each.value)
    await set('', 'first')
    const { at } = await target.createBranch()
    const [{ id: metadataId }] = (await target.call('GET', `${table(at)}/metadata`)).body
    expect((await target.call('DELETE', `${table(at)}/metadata/${metadataId}`)).status).toBe(204)
    expect([await valuesOf(at), await valuesOf('')]).toEqual([[], ['first']])
    await set(at, 'of the branch')
    await set('', 'second')
    expect([await valuesOf(at), await valuesOf('')]).toEqual([['of the branch'], ['second']])

    const { results: kept } = await target.job('POST', `${table(at)}/snapshots`)
    const snapshotsOf = async (prefix: string) =>
      (await target.call('GET', `${table(prefix)}/snapshots`)).body.map((one: { id: string }) =>
        String(one.id),
      )
    expect(await snapshotsOf(at)).toEqual([String(kept.id)])
    expect(await snapshotsOf('')).toEqual([])
  })
})

describe('a bucket in a branch', () => {
  it('is made there alone, under an id that other branches may use too', async () => {
    const { id, at } = await target.createBranch()
    const other = await target.createBranch()
    const name = `only-${run}`
    const { status, body } = await target.call('POST', `${at}buckets`, { name, stage: 'in' })
    expect([status, body.idBranch]).toEqual([201, id])
    const tableId = await createTable(body.id, 't', 'n\n1\n', at)
    for (const prefix of ['', other.at]) {
      expect((await target.call('GET', `${prefix}buckets/${body.id}`)).status).toBe(404)
      expect((await target.call('GET', `${prefix}tables/${tableId}`)).status).toBe(404)
    }
    const again = await target.call('POST', `${other.at}buckets`, { name, stage: 'in' })
    expect([again.status, again.body.idBranch]).toEqual([201, other.id])
    expect(await tablesIn(body.id, other.at)).toEqual([])
  })

  it('is deleted with what the branch sees in it, and stays in the default branch', async () => {
    const bucketId = await target.createBucket('deleted')
    const tableId = await createTable(bucketId, 't', 'n\n0\n')
    const { at } = await target.createBranch()
    expect((await target.call('DELETE', `${at}buckets/${bucketId}`)).body.code).toBe('buckets.deleteNotEmpty')
    expect(await target.job('DELETE', `${at}buckets/${bucketId}?force=1&async=1`)).toMatchObject({
      status: 'success',
    })
    expect((await target.call('GET', `${at}buckets/${bucketId}`)).status).toBe(404)
    expect((await target.call('GET', `${at}tables/${tableId}`)).status).toBe(404)
    expect(await rowsOf(tableId)).toEqual(['"0"'])

    const name = bucketId.slice('in.c-'.length)
    expect((await target.call('POST', `${at}buckets`, { name, stage: 'in' })).status).toBe(201)
    expect(await tablesIn(bucketId, at)).toEqual([])
  })

  it('keeps its rights: a token reads and writes the same buckets in every branch', async () => {
    const bucketId = await target.createBucket('rights')
    const tableId = await createTable(bucketId, 't', 'n\n0\n')
    const { at } = await target.createBranch()
    const { body: token } = await target.call('POST', 'tokens', {
      description: `branch ${run}`,
      bucketPermissions: { [bucketId]: 'read' },
    })
    const headers = { 'x-storageapi-token': token.token }
    const read = await target.call('GET', `${at}tables/${tableId}`, undefined, headers)
    const change = await target.call('PUT', `${at}tables/${tableId}`, { displayName: 'x' }, headers)
    expect([read.status, change.status]).toEqual([200, 403])
    await target.call('DELETE', `${at}buckets/${bucketId}?force=1`)
    const still = await target.call('GET', `tables/${tableId}`, undefined, headers)
    expect(still.status).toBe(200)
    await target.call('DELETE', `tokens/${token.id}`)
  })
})

describe('a token', () => {
  it('can be given a right on a bucket that only a branch has', async () => {
    const { at } = await target.createBranch()
    const { body: bucket } = await target.call('POST', `${at}buckets`, {
      name: `granted-${run}`,
      stage: 'in',
    })
    const tableId = await createTable(bucket.id, 't', 'n\n1\n', at)
    const { status, body: token } = await target.call('POST', 'tokens', {
      description: `granted ${run}`,
      bucketPermissions: { [bucket.id]: 'read' },
    })
    expect(status).toBe(201)
    const headers = { 'x-storageapi-token': token.token }
    expect((await target.call('GET', `${at}tables/${tableId}`, undefined, headers)).status).toBe(200)
    await target.call('DELETE', `tokens/${token.id}`)
  })
})

describe('what is done in a branch', () => {
  it('is in the lists of jobs and events of that branch', async () => {
    const bucketId = await target.createBucket('events')
    const tableId = await createTable(bucketId, 't', 'n\n0\n')
    const { id, at } = await target.createBranch()
    const job = await load(tableId, 'n\n1\n', at)
    const { body: jobs } = await target.call('GET', `${at}jobs`)
    expect(jobs.map((each: { id: number }) => each.id)).toEqual([job.id])
    const importsIn = async (prefix: string) =>
      (await target.call('GET', `${prefix}tables/${tableId}/events`)).body
        .filter((each: { event: string }) => each.event === 'storage.tableImportDone')
        .map((each: { idBranch: number }) => each.idBranch)
    // The event is written after the job is done.
    await expect.poll(() => importsIn(at)).toEqual([id])
    expect(await importsIn('')).not.toContain(id)
  })

  it('is found by a search in that branch', async () => {
    const { id, at } = await target.createBranch()
    const name = `needle-${run}`
    await target.call('POST', `${at}buckets`, { name, stage: 'out' })
    const { body } = await target.call('GET', `global-search?query=${name}&types[]=bucket`)
    expect(
      body.items.map((item: { fullPath: { branch: { id: number } } }) => item.fullPath.branch.id),
    ).toEqual([id])
  })
})

describe('a file of a branch', () => {
  it('is listed, changed and deleted there only', async () => {
    const { at } = await target.createBranch()
    const { body: file } = await target.call('POST', `${at}files/prepare`, {
      name: 'b.csv',
      federationToken: 1,
    })
    const listed = async (prefix: string) =>
      (await target.call('GET', `${prefix}files?sinceId=${file.id - 1}`)).body.map(
        (one: { id: number }) => one.id,
      )
    expect([await listed(at), await listed('')]).toEqual([[file.id], []])
    expect((await target.call('GET', `files/${file.id}`)).status).toBe(404)
    expect((await target.call('POST', `files/${file.id}/tags`, { tag: 'x' })).status).toBe(404)
    expect((await target.call('POST', `${at}files/${file.id}/tags`, { tag: 'x' })).status).toBe(204)
    expect((await target.call('DELETE', `${at}files/${file.id}`)).status).toBe(204)
    expect(await listed(at)).toEqual([])
  })

  it('of the default branch can be read and loaded in a branch, and not changed there', async () => {
    const fileId = await target.upload('n\n1\n')
    const { at } = await target.createBranch()
    expect((await target.call('GET', `${at}files/${fileId}`)).status).toBe(200)
    expect((await target.call('DELETE', `${at}files/${fileId}`)).status).toBe(404)
    expect((await target.call('GET', `files/${fileId}`)).status).toBe(200)
  })
})

describe('the deletion of a branch', () => {
  it('removes what is its own, and buckets of the default branch with its mark', async () => {
    const bucketId = await target.createBucket('stays')
    const tableId = await createTable(bucketId, 't', 'n\n0\n')
    const marked = await target.createBucket('marked')
    const { id, at } = await target.createBranch()
    await load(tableId, 'n\n1\n', at)
    const mark = { key: 'KBC.createdBy.branch.id', value: String(id) }
    await target.call('POST', `buckets/${marked}/metadata`, { provider: 'system', metadata: [mark] })
    expect(await target.job('DELETE', `dev-branches/${id}`)).toMatchObject({ status: 'success' })
    expect((await target.call('GET', `${at}tables/${tableId}`)).status).toBe(404)
    expect(await rowsOf(tableId)).toEqual(['"0"'])
    expect((await target.call('GET', `buckets/${marked}`)).status).toBe(404)
  })
})
