import { gzipSync } from 'node:zlib'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executeJob } from '#support/execute-job.ts'
import { type StorageService, startStorageService } from '#support/storage-service.ts'

const small = `id,note\n${'1,aaaa\n'.repeat(10)}`
const large = `id,note\n${'1,aaaa\n'.repeat(40)}`
/** Gzip that is not small: its content can hardly be compressed. */
const packed = gzipSync(`id,note\n${Array.from({ length: 300 }, (_, n) => `${n},${Math.sin(n)}`).join('\n')}`)
const limits = { singleLoadBytes: 200, gzipLimits: { compressedBytes: 300, uncompressedBytes: 10_000 } }

const startBucket = async () => {
  const service = await startStorageService({ isRunningJobs: false, jobWaitMs: 0, ...limits })
  const bucketId = await service.createBucket('main')
  let tables = 0
  const create = (dataFileId: number, fields: Record<string, unknown> = {}) =>
    service.call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, {
      name: `t${++tables}`,
      dataFileId,
      ...fields,
    })
  const tableOf = async (content: string): Promise<string> => {
    const { body: job } = await create(await service.upload(content))
    await executeJob(job.id, service.jobServices)
    return `${bucketId}.t${tables}`
  }
  const load = (tableId: string, dataFileId: number) =>
    service.call('POST', `/v2/storage/tables/${tableId}/import-async`, { dataFileId })
  const jobs = async () => (await service.call('GET', '/v2/storage/jobs?limit=100')).body.length
  return { service, bucketId, create, tableOf, load, jobs }
}

const formOf = (content: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('data', new Blob([content]), 'data.csv')
  return form
}

describe('a file that is too large', () => {
  let bucket: Awaited<ReturnType<typeof startBucket>>
  let service: StorageService
  beforeAll(async () => {
    bucket = await startBucket()
    ;({ service } = bucket)
  })
  afterAll(() => service.close())

  const refusal = {
    status: 400,
    body: { code: 'storage.load.sliceTooLarge', error: expect.stringContaining('Upload it uncompressed') },
  }

  it('is refused before there is a job', async () => {
    const tableId = await bucket.tableOf(small)
    const before = await bucket.jobs()
    const fileId = await service.upload(packed)
    expect(await bucket.create(fileId)).toMatchObject(refusal)
    expect(await bucket.load(tableId, fileId)).toMatchObject(refusal)
    expect(await bucket.jobs()).toBe(before)
  })

  it('is refused by the routes that take the data themselves', async () => {
    const tableId = await bucket.tableOf(small)
    const before = await bucket.jobs()
    const send = (path: string, form: FormData) =>
      service.fetchReply(
        new Request(`http://storage.test${path}`, {
          method: 'POST',
          headers: { 'X-StorageApi-Token': service.token },
          body: form,
        }),
      )
    const tables = `/v2/storage/buckets/${bucket.bucketId}/tables`
    expect(await send(tables, formOf(packed, { name: 'now' }))).toMatchObject(refusal)
    expect(await send(`/v2/storage/tables/${tableId}/import`, formOf(packed))).toMatchObject(refusal)
    expect(await send('/write-table', formOf(packed, { tableId }))).toMatchObject(refusal)
    expect(await bucket.jobs()).toBe(before)
  })

  it('is accepted when it can be cut, and a small one and one that is not there yet are too', async () => {
    const { body: prepared } = await service.call('POST', '/v2/storage/files/prepare', { name: 'later.csv' })
    const accepted = [large, gzipSync(large), small].map(content => service.upload(content))
    for (const fileId of [...(await Promise.all(accepted)), prepared.id])
      expect((await bucket.create(fileId)).status).toBe(202)
  })

  it('is refused by its job when it became so after the job was accepted', async () => {
    const fileId = await service.upload(small)
    const { body: job } = await bucket.create(fileId)
    const file = await service.stores.files.get(fileId)
    await service.s3.send(new PutObjectCommand({ Bucket: service.filesBucket, Key: file?.key, Body: packed }))
    await executeJob(job.id, service.jobServices)
    const { body: ended } = await service.call('GET', `/v2/storage/jobs/${job.id}`)
    expect(ended).toMatchObject({ status: 'error', error: { code: 'storage.load.sliceTooLarge' } })
  })

  it('is found again by the key of an earlier request, whatever its file has become', async () => {
    const fileId = await service.upload(small)
    const path = `/v2/storage/buckets/${bucket.bucketId}/tables-async`
    const once = () =>
      service.call('POST', path, { name: 'again', dataFileId: fileId }, { 'Idempotency-Key': 'a-key' })
    const { body: first } = await once()
    const file = await service.stores.files.get(fileId)
    await service.s3.send(new PutObjectCommand({ Bucket: service.filesBucket, Key: file?.key, Body: packed }))
    expect(await once()).toMatchObject({ status: 202, body: { id: first.id } })
  })

  it('names the slice', async () => {
    const { body: file } = await service.call('POST', '/v2/storage/files/prepare', {
      name: 'sliced.csv',
      isSliced: 1,
      federationToken: 1,
    })
    const { bucket: Bucket, key } = file.uploadParams
    const objects = { part0: small, part1: packed }
    const entries = Object.keys(objects).map(name => ({ url: `s3://${Bucket}/${key}${name}` }))
    for (const [name, Body] of [
      ...Object.entries(objects),
      ['manifest', JSON.stringify({ entries })] as const,
    ])
      await service.s3.send(new PutObjectCommand({ Bucket, Key: `${key}${name}`, Body }))
    expect(await bucket.create(file.id, { columns: ['id', 'note'] })).toMatchObject({
      status: 400,
      body: {
        code: 'storage.load.sliceTooLarge',
        error: expect.stringMatching(/^Slice 2 of 2 has \d+ bytes/),
      },
    })
  })
})
