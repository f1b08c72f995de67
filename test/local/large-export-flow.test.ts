import { gunzipSync } from 'node:zlib'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callerOf, s3Of } from '#support/cloud-clients.ts'
import { startCloud } from '#support/start-cloud.ts'
import { folderUntilEnd } from '#support/until-end.ts'
import type { EmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'
import { poll } from '../support/poll.ts'

const dataDir = folderUntilEnd()
let cloud: EmbeddedCloud
let s3: S3Client
let tableId: string

beforeAll(async () => {
  const context = { sizes: { singleExportBytes: 2_000, exportPartBytes: 3_000, partsAtOnce: 2 } }
  cloud = await startCloud({ dataDir, context })
  s3 = s3Of(cloud)
  const { id: bucketId } = await api('POST', 'buckets', { name: 'main' })
  tableId = `${bucketId}.rows`
  for (let load = 0; load < 3; load++) {
    const dataFileId = await upload(load)
    const job =
      load === 0
        ? await api('POST', `buckets/${bucketId}/tables-async`, { name: 'rows', dataFileId })
        : await api('POST', `tables/${tableId}/import-async`, { dataFileId, incremental: 1 })
    expect(await jobEnd(job)).toMatchObject({ status: 'success' })
  }
})

afterAll(async () => {
  s3?.destroy()
  await cloud?.close()
})

const api = callerOf(() => cloud)

const ROWS = 600

/** Numbers of all loads are mixed, so that their order is not that of the table. */
const idsOf = (load: number): number[] =>
  Array.from({ length: ROWS }, (_, index) => ((index * 7) % ROWS) * 3 + load)

const upload = async (load: number): Promise<number> => {
  const { id, uploadParams } = await api('POST', 'files/prepare', { name: 'rows.csv', federationToken: 1 })
  const { bucket: Bucket, key: Key } = uploadParams
  const lines = idsOf(load).map(row => `${row},"note ""${row}""\n"`)
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: `id,note\n${lines.join('\n')}\n` }))
  return id
}

const jobEnd = (job: { id: number }) =>
  poll(
    () => api('GET', `jobs/${job.id}`),
    ({ status }) => status === 'success' || status === 'error',
  )

const exported = async (body: Record<string, unknown>): Promise<{ text: string; slices: number }> => {
  const job = await jobEnd(await api('POST', `tables/${tableId}/export-async`, body))
  expect(job).toMatchObject({ status: 'success' })
  const { url } = await api('GET', `files/${job.results.file.id}?federationToken=1`)
  const { entries } = (await (await fetch(url)).json()) as { entries: { url: string }[] }
  const slices = await Promise.all(
    entries.map(async entry => {
      const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(entry.url) ?? []
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
      const bytes = Buffer.from((await Body?.transformToByteArray()) ?? [])
      return body['gzip'] ? gunzipSync(bytes) : bytes
    }),
  )
  return { text: Buffer.concat(slices).toString(), slices: slices.length }
}

const lineOf = (id: number): string => `"${id}","note ""${id}""\n"\n`

it('a large table is exported by several functions, in the order of the table', async () => {
  const { text, slices } = await exported({ gzip: true })
  expect(slices).toBeGreaterThan(1)
  expect(text).toBe([0, 1, 2].flatMap(idsOf).map(lineOf).join(''))
})

it('a large table is exported in an order by one function', async () => {
  const { text, slices } = await exported({
    orderBy: [{ column: 'id', order: 'DESC', dataType: 'INTEGER' }],
    limit: 1_500,
  })
  expect(slices).toBe(1)
  expect(text).toBe(Array.from({ length: 1_500 }, (_, index) => lineOf(3 * ROWS - 1 - index)).join(''))
})
