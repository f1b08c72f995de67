import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeFailure } from '#lib/errors/machine-failure.ts'
import { callerOf, s3Of } from '#support/cloud-clients.ts'
import { startCloud } from '#support/start-cloud.ts'
import { keptLetters, lettersOneByOne } from '../support/dead-letter.ts'
import { hasEnded, poll } from '../support/poll.ts'
import { folderUntilEnd, untilEnd } from '../support/until-end.ts'

const MiB = 1024 ** 2

const dataDir = folderUntilEnd()
const cloud = await untilEnd(startCloud({ dataDir }))
const s3 = await untilEnd(s3Of(cloud))

const bucket = () => cloud.exportsBucket ?? ''

const api = callerOf(() => cloud)

const upload = async (slices: Uint8Array[]): Promise<number> => {
  const file = await api('POST', 'files/prepare', { name: 'data.csv', isSliced: 1, federationToken: 1 })
  const { bucket: Bucket, key } = file.uploadParams
  for (const [index, Body] of slices.entries())
    await s3.send(new PutObjectCommand({ Bucket, Key: `${key}_${index}`, Body }))
  const entries = slices.map((_, index) => ({ url: `s3://${Bucket}/${key}_${index}` }))
  await s3.send(new PutObjectCommand({ Bucket, Key: `${key}manifest`, Body: JSON.stringify({ entries }) }))
  return file.id
}

const read = async (key: string): Promise<Buffer> => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket(), Key: key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

const unfinishedUploads = async () =>
  (await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket() }))).Uploads ?? []

const deadLetters = lettersOneByOne(() => keptLetters(cloud, 'export'))

const outputOf = (ended: { status: string; output?: string; cause?: string | undefined }) => {
  expect([ended.status, ended.cause]).toEqual(['SUCCEEDED', undefined])
  return JSON.parse(ended.output ?? '')
}

describe('a sliced file', () => {
  it('becomes one object, copied inside S3 where its limits allow it', async () => {
    const slices = [6 * MiB, 100, 0, 7 * MiB].map(size => randomBytes(size))
    const fileId = await upload(slices)
    const destination = { bucket: bucket(), key: 'merged/data.bin' }
    const output = outputOf(await cloud.execute('export', { fileId, destination }))
    expect(output).toMatchObject({
      destination,
      bytes: 13 * MiB + 100,
      parts: { copied: 2, assembled: 1 },
      bytesThroughFunctions: 5 * MiB,
    })
    expect((await read(destination.key)).equals(Buffer.concat(slices))).toBe(true)
    const head = await s3.send(
      new HeadObjectCommand({ Bucket: bucket(), Key: destination.key, ChecksumMode: 'ENABLED' }),
    )
    expect(output).toMatchObject({ etag: head.ETag, checksum: { value: head.ChecksumCRC32 } })
  })

  it('may be compressed, and its header is then, too', async () => {
    const fileId = await upload(['"1"\n', '"2"\n'].map(text => gzipSync(text)))
    const destination = { bucket: bucket(), key: 'merged/data.csv.gz' }
    outputOf(await cloud.execute('export', { fileId, destination, columns: ['n'] }))
    expect(gunzipSync(await read(destination.key)).toString()).toBe('"n"\n"1"\n"2"\n')
  })
})

describe('a table', () => {
  const rows = [
    ['id', 'name'],
    ['1', 'Zoë "Z"'],
    ['2', 'two\nlines'],
  ]
  const csv = rows.map(row => row.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n')

  beforeAll(async () => {
    const file = await api('POST', 'files/prepare', { name: 'orders.csv', federationToken: 1 })
    const { bucket: Bucket, key: Key } = file.uploadParams
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: csv }))
    await api('POST', 'buckets', { name: 'exported', stage: 'in' })
    const creation = { name: 'orders', dataFileId: file.id }
    const { id } = await api('POST', 'buckets/in.c-exported/tables-async', creation)
    const job = await poll(() => api('GET', `jobs/${id}`), hasEnded)
    expect(job.status).toBe('success')
  })

  it.each([false, true])('becomes CSV with a header, gzip: %s', async gzip => {
    const destination = { bucket: bucket(), key: `orders-${gzip}.csv` }
    const input = { tableId: 'in.c-exported.orders', destination, gzip, header: true }
    outputOf(await cloud.execute('export', input))
    const bytes = await read(destination.key)
    const [header, ...data] = parse(gzip ? gunzipSync(bytes) : bytes) as string[][]
    expect(header).toEqual(rows[0])
    expect(data.sort()).toEqual(rows.slice(1))
  })

  it('can be exported without a header, and with fewer columns', async () => {
    const destination = { bucket: bucket(), key: 'names.csv' }
    const input = { tableId: 'in.c-exported.orders', destination, header: false, columns: ['name'] }
    outputOf(await cloud.execute('export', input))
    expect((parse(await read('names.csv')) as string[][]).flat().sort()).toEqual(['Zoë "Z"', 'two\nlines'])
  })
})

describe('what cannot be exported', () => {
  it.each<[string, Record<string, unknown>, RegExp]>([
    ['a table that is not there', { tableId: 'in.c-exported.nothing' }, /in\.c-exported\.nothing|not found/i],
    ['a file that is not there', { fileId: 999_999 }, /999999|not found/i],
    ['a bucket of somebody else', { fileId: 1, destination: { bucket: 'somebody-elses', key: 'x' } }, /./],
    ['nothing at all', {}, /neither/],
  ])('because it names %s: a dead letter that says so', async (_, given, message) => {
    const fileId = 'fileId' in given && given['fileId'] === 1 ? await upload([Buffer.from('x')]) : undefined
    const destination = { bucket: bucket(), key: 'never.csv' }
    const input = { destination, ...given, ...(fileId === undefined ? {} : { fileId }) }
    const ended = await cloud.execute('export', input)
    expect(ended.status).toBe('FAILED')
    expect(describeFailure({ Cause: 'cause' in ended ? ended.cause : '' }).message).toMatch(message)
    expect(await deadLetters.arrived()).toMatchObject({
      input,
      failure: { code: expect.stringContaining('.'), message: expect.stringMatching(message) },
    })
    expect(await unfinishedUploads()).toEqual([])
  })
})
