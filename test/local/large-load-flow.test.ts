import { gzipSync } from 'node:zlib'
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callerOf, s3Of } from '#support/cloud-clients.ts'
import { startCloud } from '#support/start-cloud.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import type { EmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'
import { poll } from '../support/poll.ts'

const KiB = 1024

const dataDir = folderUntilEnd()
let cloud: EmbeddedCloud
let s3: S3Client
let bucketId: string

beforeAll(async () => {
  const context = { sizes: { singleLoadBytes: 64 * KiB, loadRangeBytes: 96 * KiB, partsAtOnce: 3 } }
  cloud = await startCloud({ dataDir, context })
  s3 = s3Of(cloud)
  bucketId = (await api('POST', 'buckets', { name: 'main' })).id
})

afterAll(async () => {
  s3?.destroy()
  await cloud?.close()
})

const api = callerOf(() => cloud)

const upload = async (slices: Uint8Array[], isSliced: boolean): Promise<number> => {
  const { id, uploadParams } = await api('POST', 'files/prepare', {
    name: 'data.csv',
    isSliced: isSliced ? 1 : 0,
    federationToken: 1,
  })
  const { bucket: Bucket, key } = uploadParams
  const put = (name: string, Body: Uint8Array | string) =>
    s3.send(new PutObjectCommand({ Bucket, Key: `${key}${name}`, Body }))
  for (const [index, slice] of slices.entries()) await put(isSliced ? `_${index}` : '', slice)
  const entries = slices.map((_, index) => ({ url: `s3://${Bucket}/${key}_${index}` }))
  if (isSliced) await put('manifest', JSON.stringify({ entries }))
  return id
}

const jobEnd = (job: { id: number }) =>
  poll(
    () => api('GET', `jobs/${job.id}`),
    ({ status }) => status === 'success' || status === 'error',
  )

const create = async (slices: Uint8Array[], { isSliced = false, ...settings }: Record<string, unknown>) =>
  jobEnd(
    await api('POST', `buckets/${bucketId}/tables-async`, {
      dataFileId: await upload(slices, Boolean(isSliced)),
      ...settings,
    }),
  )

/** Three columns with quotes and line breaks in nearly every record. */
const records = (from: number, to: number, mark: string): string =>
  Array.from(
    { length: to - from },
    (_, index) => `${from + index},${mark},"note\r\nof ""${from + index}"",\n"\n`,
  ).join('')

const header = 'id,mark,note\n'

it('a large file becomes a table, and another one changes it by its key', async () => {
  const csv = Buffer.from(header + records(0, 12_000, 'first'))
  expect(await create([csv], { name: 'keyed', primaryKey: 'id' })).toMatchObject({
    status: 'success',
    results: { rowsCount: 12_000, primaryKey: ['id'] },
    metrics: { inBytes: csv.length },
  })
  const tableId = `${bucketId}.keyed`
  const change = gzipSync(header + records(9_000, 15_000, 'second'), { level: 0 })
  const job = await jobEnd(
    await api('POST', `tables/${tableId}/import-async`, {
      dataFileId: await upload([change], false),
      incremental: 1,
    }),
  )
  expect(job).toMatchObject({
    status: 'success',
    results: { importedRowsCount: 6_000, totalRowsCount: 15_000 },
    metrics: { inCompressed: true, inBytes: change.length },
  })
  expect((await api('GET', `tables/${tableId}`)).rowsCount).toBe(15_000)
  const { rows } = await api('GET', `tables/${tableId}/data-preview?format=json&limit=1000`)
  expect(rows).toHaveLength(1_000)
  for (const [{ value: id }, mark, { value: note }] of rows) {
    expect(mark.value).toBe(Number(id) < 9_000 ? 'first' : 'second')
    expect(note).toBe(`note\r\nof "${id}",\n`)
  }
})

it('slices of all kinds become a table', async () => {
  const slices = [
    Buffer.from(records(0, 4_000, 'plain')),
    gzipSync(records(4_000, 7_000, 'packed')),
    Buffer.from(records(7_000, 7_001, 'small')),
  ]
  const job = await create(slices, { name: 'sliced', isSliced: true, columns: ['id', 'mark', 'note'] })
  expect(job).toMatchObject({ status: 'success', results: { rowsCount: 7_001 } })
})

it('a malformed record is named by its line, and no table is made', async () => {
  const wrong = `${header}${records(0, 3_000, 'x')}3000,x\n${records(3_001, 6_000, 'x')}x"\n`
  const job = await create([Buffer.from(wrong)], { name: 'wrong' })
  // Each record has three lines.
  expect(job).toMatchObject({
    status: 'error',
    error: { code: 'invalidCsv', message: expect.stringContaining('at line 9002, byte ') },
  })
  expect(await api('GET', `tables/${bucketId}.wrong`)).toMatchObject({ code: 'storage.tables.notFound' })
})
