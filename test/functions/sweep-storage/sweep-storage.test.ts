import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { withStorage } from '../../support/storage-service.ts'
import { sweepService } from '../../support/sweep-all.ts'

const DAY_MS = 86_400_000
/** The object store has the clock of this machine; the service is that far ahead of it. */
let aheadMs = 0
const now = () => new Date(Date.now() + aheadMs)
const service = await withStorage({ now })
const bucketId = await service.createBucket('main')
beforeEach(() => {
  aheadMs = 0
})

const sweep = () => sweepService(service, now)

const keysIn = async (Bucket: string, Prefix: string): Promise<string[]> => {
  const { Contents = [] } = await service.s3.send(new ListObjectsV2Command({ Bucket, Prefix }))
  return Contents.map(({ Key = '' }) => Key)
}
const tableKeys = () => keysIn(service.tablesBucket, 'tables/')

let names = 0
const newTable = (content: string) => service.createTable(bucketId, `t${++names}`, content)
const submit = async (method: string, path: string, body?: unknown) => {
  const reply = await service.call(method, `/v2/storage${path}`, body)
  expect(reply.body?.status ?? 'success').toBe('success')
  return reply.body
}
const rowsOf = async (tableId: string) =>
  (await service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)).text

describe('files', () => {
  it('lose their objects when their age is over, and can still be looked up', async () => {
    const id = await service.upload('a\n')
    const { body: before } = await service.call('GET', `/v2/storage/files/${id}`)
    aheadMs = 14.9 * DAY_MS
    await sweep()
    expect((await fetch(before.url)).status).toBe(200)

    aheadMs = 15.1 * DAY_MS
    expect((await sweep()).files).toBeGreaterThan(0)
    expect((await fetch(before.url)).status).toBe(404)
    expect((await sweep()).files).toBe(0)
    const list = async (query: string) =>
      (await service.call('GET', `/v2/storage/files${query}`)).body.map((file: { id: number }) => file.id)
    expect(await list('')).not.toContain(id)
    expect(await list('?showExpired=1')).toContain(id)

    aheadMs = 106 * DAY_MS
    await sweep()
    expect((await service.call('GET', `/v2/storage/files/${id}`)).status).toBe(404)
  })

  it('of an export go after two days, with all slices', async () => {
    const tableId = await newTable('a\n1\n')
    await submit('POST', `/tables/${tableId}/export-async`, {})
    expect(await keysIn(service.filesBucket, 'exp-2/')).toHaveLength(2)
    aheadMs = 2.1 * DAY_MS
    await sweep()
    expect(await keysIn(service.filesBucket, 'exp-2/')).toEqual([])
  })

  it('that are permanent stay', async () => {
    const { body: file } = await service.call('POST', '/v2/storage/files/prepare', {
      name: 'a.csv',
      isPermanent: 1,
      federationToken: 1,
    })
    const { bucket: Bucket, key: Key } = file.uploadParams
    await service.s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
    aheadMs = 4000 * DAY_MS
    await sweep()
    expect((await service.call('GET', `/v2/storage/files/${file.id}`)).body.maxAgeDays).toBeNull()
    expect(await keysIn(Bucket, Key)).toEqual([Key])
  })

  it('that no record knows go a day after they would have expired', async () => {
    const Key = 'exp-2/7/table-exports/in/c-main/t/1.csv_0_0_0.csv'
    await service.s3.send(new PutObjectCommand({ Bucket: service.filesBucket, Key, Body: 'x' }))
    aheadMs = 2.9 * DAY_MS
    await sweep()
    expect(await keysIn(service.filesBucket, Key)).toEqual([Key])
    aheadMs = 3.1 * DAY_MS
    await sweep()
    expect(await keysIn(service.filesBucket, Key)).toEqual([])
  })
})

describe('the objects of tables', () => {
  it('go when no snapshot has named them for a day, however old they are', async () => {
    const tableId = await newTable('a\n1\n')
    const [first] = (await service.stores.tables.get(tableId))?.snapshot.files ?? []
    aheadMs = 30 * DAY_MS
    await sweep()
    // Superseded only now, and kept for a week more.
    await submit('POST', `/tables/${tableId}/import-async`, { dataFileId: await service.upload('a\n2\n') })
    aheadMs += 6.9 * DAY_MS
    expect((await sweep())['table-snapshots']).toBe(0)
    aheadMs += 0.2 * DAY_MS
    expect((await sweep())['table-snapshots']).toBe(1)
    aheadMs += 0.9 * DAY_MS
    await sweep()
    expect(await tableKeys()).toContain(first?.key)
    aheadMs += 0.2 * DAY_MS
    await sweep()
    expect(await tableKeys()).not.toContain(first?.key)
    expect(await rowsOf(tableId)).toBe('"a"\n"2"\n')
  })

  it('stay while the current snapshot of a table names them, after snapshots and metadata have gone', async () => {
    const tableId = await newTable('a\n1\n')
    for (let row = 2; row < 5; row++) {
      const dataFileId = await service.upload(`a\n${row}\n`)
      await submit('POST', `/tables/${tableId}/import-async`, { dataFileId, incremental: 1 })
      aheadMs += 5 * DAY_MS
    }
    for (let days = 0; days < 20; days += 2) {
      aheadMs += 2 * DAY_MS
      await sweep()
    }
    expect(await rowsOf(tableId)).toBe('"a"\n"1"\n"2"\n"3"\n"4"\n')
  })

  it('go with a deleted table, but for what a snapshot or a copy is made of', async () => {
    const kept = await newTable('a\nsnapshot\n')
    const { results } = await submit('POST', `/tables/${kept}/snapshots`, {})
    const ofSnapshot = (await service.stores.tables.get(kept))?.snapshot.files[0]?.key
    const copied = await newTable('a\ncopied\n')
    const copy = `${bucketId}.copy`
    await submit('POST', `/buckets/${bucketId}/tables-async`, { name: 'copy', sourceTableId: copied })
    const gone = await newTable('a\ngone\n')
    const goneTable = await service.stores.tables.getHead(gone)
    for (const id of [kept, copied, gone]) await service.call('DELETE', `/v2/storage/tables/${id}`)
    await sweep()
    aheadMs = 2 * DAY_MS
    await sweep()
    const left = await tableKeys()
    expect(left).toContain(ofSnapshot)
    expect(left.some(key => key.includes(`/${goneTable?.internalId}/`))).toBe(false)
    await submit('POST', `/buckets/${bucketId}/tables-async`, { name: 'back', snapshotId: results.id })
    expect(await rowsOf(`${bucketId}.back`)).toBe('"a"\n"snapshot"\n')
    expect(await rowsOf(copy)).toBe('"a"\n"copied"\n')
  })

  it('stay while a table is made of them that was restored as of an earlier time', async () => {
    const source = await newTable('a\n1\n')
    const { lastChangeDate } = (await service.stores.tables.getHead(source)) ?? {}
    aheadMs = 6 * DAY_MS
    await submit('POST', `/tables/${source}/import-async`, { dataFileId: await service.upload('a\n2\n') })
    const restored = { name: 'restored', sourceTableId: source, timestamp: lastChangeDate }
    await submit('POST', `/buckets/${bucketId}/tables-async`, restored)
    const [first] = (await service.stores.tables.get(`${bucketId}.restored`))?.snapshot.files ?? []
    await service.call('DELETE', `/v2/storage/tables/${source}`)
    for (let days = 0; days < 20; days += 2) {
      aheadMs += 2 * DAY_MS
      await sweep()
    }
    expect(await tableKeys()).toContain(first?.key)
    expect(await rowsOf(`${bucketId}.restored`)).toBe('"a"\n"1"\n')
  })

  it('stay while the default branch or another one names them, and go with the last', async () => {
    const tableId = await newTable('a\nfirst\n')
    const { results: branch } = await submit('POST', '/dev-branches', { name: 'sweep' })
    const at = `/branch/${branch.id}`
    const replace = async (prefix: string, row: string) =>
      submit('POST', `${prefix}/tables/${tableId}/import-async`, {
        dataFileId: await service.upload(`a\n${row}\n`),
      })
    const fileIn = async (branchId: number) =>
      (await service.stores.inBranch(branchId).tables.get(tableId))?.snapshot.files[0]?.key
    const waitAndSweep = async () => {
      for (const _ of ['expired', 'noted', 'deleted']) {
        aheadMs += 8 * DAY_MS
        await sweep()
      }
    }
    await submit('POST', `${at}/tables/${tableId}/pull`, {})
    const shared = await fileIn(branch.id)
    await replace('', 'second')
    await waitAndSweep()
    expect(await tableKeys()).toContain(shared)
    const inBranch = await service.call('GET', `/v2/storage${at}/tables/${tableId}/data-preview`)
    expect(inBranch.text).toBe('"a"\n"first"\n')

    await replace(at, 'of the branch')
    const own = await fileIn(branch.id)
    await submit('DELETE', `/dev-branches/${branch.id}`, {})
    await waitAndSweep()
    const left = await tableKeys()
    expect([left.includes(shared ?? ''), left.includes(own ?? '')]).toEqual([false, false])
    expect(await rowsOf(tableId)).toBe('"a"\n"second"\n')
  })

  it('stay while the job that wrote them is not over', async () => {
    const accepted = await service.stores.jobs.accept(id => ({
      id,
      status: 'waiting',
      input: { operationName: 'tableDrop', tableId: 'in.c-main.x', force: false },
      queueTableId: null,
      tableId: null,
      operationParams: {},
      createdTime: now().toISOString(),
      runId: null,
      creatorToken: { id: '1', description: '' },
      baseUrl: '',
    }))
    if (accepted.status !== 'waiting') throw new Error('It was made so')
    const job = await service.stores.jobs.begin(accepted, now())
    if (!('status' in job)) throw new Error('Nobody else is there')
    const Key = `tables/5/${job.id}/part-00001.parquet`
    await service.s3.send(new PutObjectCommand({ Bucket: service.tablesBucket, Key, Body: 'x' }))
    await sweep()
    aheadMs = 5 * DAY_MS
    await sweep()
    expect(await tableKeys()).toContain(Key)
    if (job.status !== 'processing') throw new Error('It was made so')
    await service.stores.jobs.succeed(job, {
      at: now(),
      outcome: {
        results: null,
        metrics: {
          inCompressed: false,
          inBytes: 0,
          inBytesUncompressed: 0,
          outCompressed: false,
          outBytes: 0,
          outBytesUncompressed: 0,
        },
      },
    })
    await sweep()
    expect(await tableKeys()).not.toContain(Key)
  })
})
