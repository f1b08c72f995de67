import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

let tableId: string
const unique = `d${Date.now().toString(36)}`
const target = await connectTarget()
const bucketId = await target.createBucket('details')
beforeAll(async () => {
  tableId = await create({ name: 'rows', dataFileId: await target.upload('id\n1\n2\n') })
})

const create = async (body: object, headers?: Record<string, string>): Promise<string> => {
  const job = await target.job('POST', `buckets/${bucketId}/tables-async`, body, headers)
  expect(job.error).toBeUndefined()
  return job.results.id
}
const date = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+0000$/)

describe('a bucket', () => {
  const made: string[] = []
  const createBucket = async (body: object) => {
    const reply = await target.call('POST', 'buckets', { stage: 'out', ...body })
    if (reply.status === 201) made.push(reply.body.id)
    return reply
  }
  afterAll(async () => {
    for (const id of made) await target.call('DELETE', `buckets/${id}?force=1`)
  })

  it('has a display name of its own, which no other bucket has as a name either', async () => {
    const first = await createBucket({ name: `${unique}-a`, displayName: `${unique}-shown` })
    expect(first).toMatchObject({ status: 201, body: { displayName: `${unique}-shown`, updated: null } })
    for (const body of [
      { name: `${unique}-b`, displayName: `${unique}-shown` },
      { name: `${unique}-shown` },
      { name: `${unique}-shown`, displayName: `${unique}-other` },
    ])
      expect(await createBucket(body)).toMatchObject({
        status: 400,
        body: {
          code: 'storage.buckets.alreadyExists',
          error: `The display name "${unique}-shown" already exists in project.`,
        },
      })
    for (const displayName of ['_x', 'a b', 'ž'])
      expect(await createBucket({ name: `${unique}-c`, displayName })).toMatchObject({
        status: 400,
        body: { code: 'storage.buckets.validation' },
      })
  })

  it('names the database and the schema in which clients look for it', async () => {
    const { body } = await createBucket({ name: `${unique}-p` })
    expect(body.backendPath).toEqual([expect.stringMatching(/^project_\d+$/), body.id])
  })

  it('is updated by its metadata', async () => {
    const { body } = await createBucket({ name: `${unique}-m` })
    const metadata = [{ key: 'KBC.description', value: 'Orders' }]
    await target.call('POST', `buckets/${body.id}/metadata`, { provider: 'user', metadata })
    expect((await target.call('GET', `buckets/${body.id}`)).body).toMatchObject({ updated: date })
  })

  it('is not updated by a new display name, but by a new colour', async () => {
    const { body } = await createBucket({ name: `${unique}-d` })
    const update = async (change: object) => (await target.call('PUT', `buckets/${body.id}`, change)).body
    expect(await update({ displayName: `${unique}-e` })).toMatchObject({
      displayName: `${unique}-e`,
      updated: null,
    })
    expect(await update({ color: 'red' })).toMatchObject({ color: 'red', updated: date })
    expect(await update({ displayName: null, color: null })).toMatchObject({
      displayName: `${unique}-e`,
      color: null,
    })
  })

  it('of an unknown backend is refused', async () => {
    expect(await createBucket({ name: `${unique}-f`, backend: 'abacus' })).toMatchObject({
      status: 400,
      body: { code: 'storage.buckets.validation', errors: [{ key: 'backend' }] },
    })
    expect((await createBucket({ name: `${unique}-f`, backend: '' })).status).toBe(201)
  })

  it('of another project is not there', async () => {
    for (const query of ['', '?include=metadata']) {
      const { status, body } = await target.call('GET', `shared-buckets${query}`)
      expect([status, body]).toEqual([200, []])
    }
  })
})

describe('a table', () => {
  it('has a display name that no other of its bucket has', async () => {
    await target.call('PUT', `tables/${tableId}`, { displayName: 'shown' })
    const dataFileId = await target.upload('id\n')
    const refused = { code: 'storage.buckets.tableAlreadyExists' }
    const taken = tableId.split('.').at(-1)
    for (const body of [{ name: 'shown' }, { name: 'other', displayName: 'shown' }]) {
      const reply = await target.call('POST', `buckets/${bucketId}/tables-async`, { ...body, dataFileId })
      expect(reply).toMatchObject({ status: 400, body: refused })
      expect(reply.body.error).toContain(`The table "${taken}" in the bucket`)
      const defined = await target.call('POST', `buckets/${bucketId}/tables-definition`, {
        ...body,
        columns: [{ name: 'id' }],
      })
      expect(defined).toMatchObject({ status: 400, body: refused })
    }
    await target.call('PUT', `tables/${tableId}`, { displayName: 'rows' })
  })

  it('is kept by a snapshot with an id that is text, and a file id', async () => {
    const job = await target.job('POST', `tables/${tableId}/snapshots`, { description: 'kept' })
    const snapshot = {
      id: String(job.results.id),
      type: 'table',
      uri: `${target.url}/v2/storage/snapshots/${job.results.id}`,
      dataFileId: expect.stringMatching(/./),
      createdTime: date,
      description: 'kept',
      creatorToken: { id: expect.any(Number), description: expect.any(String) },
      table: { id: tableId, primaryKey: [], columns: ['id'], rowsCount: 2 },
    }
    expect((await target.call('GET', `snapshots/${snapshot.id}`)).body).toMatchObject(snapshot)
    expect((await target.call('GET', `tables/${tableId}/snapshots`)).body).toMatchObject([snapshot])
    const restored = await create({ name: 'restored', snapshotId: snapshot.id })
    expect((await target.call('GET', `tables/${restored}`)).body.rowsCount).toBe(2)
  })
})

describe('run ids', () => {
  it('are made of tickets, which are texts that grow', async () => {
    const take = async () => (await target.call('POST', 'tickets')).body.id
    const [first, second] = [await take(), await take()]
    expect([typeof first, typeof second]).toEqual(['string', 'string'])
    expect(Number(second)).toBeGreaterThan(Number(first))
    const { body: job } = await target.call(
      'POST',
      `tables/${tableId}/export-async`,
      {},
      { 'X-KBC-RunId': second },
    )
    expect(job.runId).toBe(second)
  })

  it('have statistics of exactly their own imports, exports and files', async () => {
    const run = (await target.call('POST', 'tickets')).body.id
    const headers = { 'X-KBC-RunId': run }
    const prepare = async (tag: string, content: string) => {
      const id = await target.upload(content, { tags: [tag] })
      // The upload of this test carries no header, so the file is prepared again with one.
      const { body } = await target.call(
        'POST',
        'files/prepare',
        { name: 'counted.csv', sizeBytes: 10, tags: [tag], federationToken: 1 },
        headers,
      )
      expect(body.runId).toBe(run)
      return id
    }
    const created = await create(
      { name: 'counted', dataFileId: await prepare('file-import', 'id\n1\n') },
      headers,
    )
    for (const id of [created, tableId])
      await target.job(
        'POST',
        `tables/${id}/import-async`,
        { dataFileId: await prepare('table-import', 'id\n1\n2\n') },
        headers,
      )
    await target.job('POST', `tables/${created}/export-async`, { gzip: true }, headers)
    await target.job('POST', `tables/${created}/export-async`, {}, { 'X-KBC-RunId': `${run}.1` })

    const { body } = await target.call('GET', `stats?runId=${run}`)
    const seconds = expect.any(Number)
    expect(body.tables.import.totalCount).toBe(3)
    expect(body.tables.import.tables.toSorted(byId)).toEqual(
      [
        { id: created, count: 2, durationTotalSeconds: seconds },
        { id: tableId, count: 1, durationTotalSeconds: seconds },
      ].toSorted(byId),
    )
    expect(body.tables.export).toEqual({
      tables: [{ id: created, count: 1, durationTotalSeconds: seconds }],
      totalCount: 1,
    })
    expect(body.files.total).toEqual({
      count: 4,
      dataSizeBytes: { total: seconds, mean: seconds, max: seconds, min: seconds },
    })
    expect(body.files.tags.tags.map(({ tag }: { tag: string }) => tag).toSorted()).toEqual([
      'file-import',
      'table-export',
      'table-import',
    ])
    expect(await target.call('GET', 'stats')).toMatchObject({
      status: 400,
      body: { code: 'storage.validation' },
    })
  })
})
const byId = (a: { id: string }, b: { id: string }): number => a.id.localeCompare(b.id)

describe('the metrics of a load', () => {
  it.each([
    ['plain', Buffer.from('id\n1\n'), false],
    ['gzip', gzipSync('id\n1\n'), true],
  ])('of a %s file', async (_what, content, inCompressed) => {
    const form = new FormData()
    form.set('data', new Blob([content]), inCompressed ? 'data.csv.gz' : 'data.csv')
    const { body: file } = await target.send(`${target.importUrl}/upload-file`, {
      method: 'POST',
      body: form,
    })
    const job = await target.job('POST', `tables/${tableId}/import-async`, { dataFileId: file.id })
    expect(job.metrics).toEqual({
      inCompressed,
      inBytes: content.length,
      inBytesUncompressed: inCompressed ? 0 : content.length,
      outCompressed: false,
      outBytes: 0,
      outBytesUncompressed: 0,
    })
  })
})

describe('an export that another token asked for before', () => {
  it('is the same file, which this token may read and not delete', async () => {
    const { body: token } = await target.call('POST', 'tokens', {
      description: 'reader',
      bucketPermissions: { [bucketId]: 'read' },
    })
    const own = { 'x-storageapi-token': token.token }
    try {
      const first = await target.job('POST', `tables/${tableId}/export-async`, { columns: ['id'], limit: 1 })
      const second = await target.job(
        'POST',
        `tables/${tableId}/export-async`,
        { columns: ['id'], limit: 1 },
        own,
      )
      const { id } = first.results.file
      expect(second.results).toEqual({ file: { id }, cacheHit: true })
      expect((await target.call('GET', `files/${id}?federationToken=1`, undefined, own)).status).toBe(200)
      expect((await target.call('DELETE', `files/${id}`, undefined, own)).status).toBe(403)

      const { body: stranger } = await target.call('POST', 'tokens', { description: 'stranger' })
      const foreign = { 'x-storageapi-token': stranger.token }
      expect((await target.call('GET', `files/${id}`, undefined, foreign)).status).toBe(403)
      expect((await target.call('POST', `tables/${tableId}/export-async`, {}, foreign)).status).toBe(403)
      await target.call('DELETE', `tokens/${stranger.id}`)
    } finally {
      await target.call('DELETE', `tokens/${token.id}`)
    }
  })
})

describe('texts of changes', () => {
  const configs = 'components/keboola.runner-config-test/configs'
  const made: string[] = []
  const call = async (method: string, path: string, body?: object) => {
    const reply = await target.call(method, `${configs}${path}`, body)
    if (reply.status >= 400) throw new Error(reply.text)
    return reply.body
  }
  afterAll(async () => {
    for (const id of [...made, ...made]) await target.call('DELETE', `${configs}/${id}`)
  })
  const newConfiguration = async () => {
    const { id } = await call('POST', '', { name: 'source' })
    made.push(id)
    await call('POST', `/${id}/rows`, { rowId: 'r', name: 'row' })
    return id as string
  }
  const lastText = async (id: string) => (await call('GET', `/${id}`)).changeDescription

  it('of a copied row name where it comes from, in the row and in its configuration', async () => {
    const id = await newConfiguration()
    const row = await call('POST', `/${id}/rows/r/versions/1/create`)
    const origin = `configuration "source" (${id}) row r version 1`
    expect(row).toMatchObject({
      version: 1,
      changeDescription: `Copied from ${origin}`,
    })
    expect(await lastText(id)).toBe(`Row ${row.id} copied from ${origin}`)
    const given = await call('POST', `/${id}/rows/r/versions/1/create`, { changeDescription: 'mine' })
    expect([given.changeDescription, await lastText(id)]).toEqual(['mine', 'mine'])
  })

  it('of a row that is rolled back name the version', async () => {
    const id = await newConfiguration()
    await call('PUT', `/${id}/rows/r`, { name: 'changed' })
    const row = await call('POST', `/${id}/rows/r/versions/1/rollback`)
    expect(row).toMatchObject({ name: 'row', version: 3, changeDescription: 'Rollback to version 1' })
    expect(await lastText(id)).toBe('Row r version 1 rollback')
  })

  it('of a copied configuration are always the default in its rows', async () => {
    const source = await newConfiguration()
    const origin = `Copied from configuration "source" (${source}) version 2`
    for (const [given, expected] of [
      [{}, origin],
      [{ changeDescription: 'mine' }, 'mine'],
    ] as const) {
      const { id } = await call('POST', `/${source}/versions/2/create`, { name: 'copy', ...given })
      made.push(id)
      const copy = await call('GET', `/${id}`)
      expect(copy).toMatchObject({
        version: 1,
        changeDescription: expected,
        rows: [{ id: 'r', version: 1, changeDescription: origin }],
      })
    }
  })
})
