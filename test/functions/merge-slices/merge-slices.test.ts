import { randomBytes } from 'node:crypto'
import { crc32, gunzipSync, gzipSync } from 'node:zlib'
import { type CompleteMultipartUploadCommandInput, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { mergeSlices } from '#functions/merge-slices/merge-slices.ts'
import { formatCrc32 } from '#lib/combine-crc.ts'
import { stepEvent } from '#lib/drive/step.ts'
import { listWithoutChecksums } from '#support/list-without-checksums.ts'
import { untilEnd } from '#support/until-end.ts'
import type { Fault } from '../../support/fault-proxy.ts'
import { isThorough, stride } from '../../support/thorough.ts'
import { randomSlices, startExportFixture } from './support/export-fixture.ts'

const MiB = 1024 ** 2

let key: string
let keys = 0

const fixture = await untilEnd(startExportFixture())

beforeEach(() => {
  fixture.proxy.decide(() => undefined)
  keys += 1
  key = `exports of today/${keys}.csv`
})

const destination = () => ({ bucket: fixture.exports, key })

const checkMerged = async (expected: Uint8Array): Promise<void> => {
  expect(Buffer.compare(await fixture.read(key), expected)).toBe(0)
  expect((await fixture.describe(key)).ChecksumCRC32).toBe(formatCrc32(crc32(expected)))
  expect(await fixture.unfinishedUploads()).toEqual([])
}

/** By what S3 worked out itself: enough where many objects are compared. */
const checkDescribed = async (expected: Uint8Array): Promise<void> => {
  const { ContentLength, ChecksumCRC32 } = await fixture.describe(key)
  expect(ContentLength).toBe(expected.length)
  expect(ChecksumCRC32).toBe(formatCrc32(crc32(expected)))
  expect(await fixture.unfinishedUploads()).toEqual([])
}

describe('a destination that lists parts without checksums', () => {
  const completions: CompleteMultipartUploadCommandInput[] = []
  const withoutListed = () => {
    const { endpoint, region, credentials, forcePathStyle } = fixture.dependencies.s3.config
    const s3 = new S3Client({
      region,
      credentials,
      forcePathStyle,
      maxAttempts: 1,
      ...(endpoint && { endpoint }),
    })
    return listWithoutChecksums(s3, completions)
  }
  const slices = randomSlices(6 * MiB, 100, 12 * MiB, 3)
  beforeEach(() => void completions.splice(0))

  it.each([
    ['once', 1],
    ['twice', 2],
  ])('works out the checksum itself, when each step runs %s', async (_, repeats) => {
    const s3 = withoutListed()
    try {
      const fileId = await fixture.upload(slices)
      const result = await fixture.run({ fileId, destination: destination() }, { changed: { s3 }, repeats })
      const expected = formatCrc32(crc32(Buffer.concat(slices)))
      expect(completions[0]?.ChecksumCRC32).toBeUndefined()
      expect(result.checksum.value).toBe(expected)
      await checkMerged(Buffer.concat(slices))
    } finally {
      s3.destroy()
    }
  })
})

describe('a sliced file', () => {
  it('becomes one object: copied inside S3 but for what its limits force', async () => {
    const slices = randomSlices(6 * MiB, 0, 8 * MiB, 100, 12 * MiB, 3)
    const result = await fixture.run({ fileId: await fixture.upload(slices), destination: destination() })
    expect(result).toMatchObject({
      destination: destination(),
      bytes: 26 * MiB + 103,
      etag: (await fixture.describe(key)).ETag,
      parts: { copied: 4, assembled: 1 },
      bytesThroughFunctions: 5 * MiB,
      checksum: { algorithm: 'CRC32' },
    })
    await checkMerged(Buffer.concat(slices))
  })

  it('is described for those who download it', async () => {
    await fixture.run({ fileId: await fixture.upload(randomSlices(10)), destination: destination() })
    const plain = await fixture.describe(key)
    expect(plain.ContentType).toBe('text/csv; charset=utf-8')
    expect(plain.ContentDisposition).toBe(`attachment; filename="${keys}.csv"`)
    key = `Aufträge-${keys}.csv`
    await fixture.run({
      fileId: await fixture.upload(randomSlices(10)),
      destination: { ...destination(), contentType: 'text/plain' },
    })
    const named = await fixture.describe(key)
    expect(named.ContentType).toBe('text/plain')
    expect(named.ContentDisposition).toBe(
      `attachment; filename="Auftr_ge-${keys}.csv"; filename*=UTF-8''Auftr%C3%A4ge-${keys}.csv`,
    )
  })

  it.each<[string, number[]]>([
    ['one small slice', [10]],
    ['empty slices only', [0, 0]],
    ['no slices', []],
    ['many small slices', Array.from({ length: 100 }, (_, index) => index * 97)],
  ])('of %s is merged too', async (_, sizes) => {
    const slices = randomSlices(...sizes)
    await fixture.run({ fileId: await fixture.upload(slices), destination: destination() })
    await checkMerged(Buffer.concat(slices))
  })

  it('may be a file of one piece', async () => {
    const [body = Buffer.alloc(0)] = randomSlices(7 * MiB)
    const result = await fixture.run({ fileId: await fixture.uploadWhole(body), destination: destination() })
    expect(result.bytesThroughFunctions).toBe(0)
    await checkMerged(body)
  })

  // All of the 300 are 190 MiB. Those of a usual run are four parts, each of many slices and with edges inside of slices.
  const slicesOfAllSizes = isThorough ? 300 : 24
  it(`${slicesOfAllSizes} slices of up to 1.3 MiB`, async () => {
    const sizes = Array.from({ length: slicesOfAllSizes }, (_, i) => (i * 7919 * 1000) % ((1.3 * MiB) | 0))
    const slices = randomSlices(...sizes)
    const bytes = Buffer.concat(slices)
    await fixture.run({ fileId: await fixture.upload(slices), destination: destination() })
    await checkMerged(bytes)
  })

  it('leaves no work behind', async () => {
    await fixture.run({ fileId: await fixture.upload(randomSlices(10)), destination: destination() })
    const left = (await fixture.keys()).filter(name => name.startsWith('.work/'))
    expect(left.filter(name => !/(plan|sealed)\.json$/.test(name))).toEqual([])
  })

  it('whose steps are all repeated gives the same object', async () => {
    const slices = randomSlices(6 * MiB, 100, 7 * MiB)
    const fileId = await fixture.upload(slices)
    const result = await fixture.run({ fileId, destination: destination() }, { repeats: 3 })
    expect(result.parts).toEqual({ copied: 2, assembled: 1 })
    await checkMerged(Buffer.concat(slices))
  })

  it('of a service elsewhere is streamed with the credentials of the file', async () => {
    const slices = randomSlices(6 * MiB, 100, 20 * MiB)
    const fileId = await fixture.upload(slices)
    const result = await fixture.run(
      { fileId, destination: destination() },
      { changed: { filesBucket: 'NONE' } },
    )
    expect(result).toMatchObject({ parts: { copied: 0 }, bytesThroughFunctions: 26 * MiB + 100 })
    await checkMerged(Buffer.concat(slices))
  })
})

describe('a header', () => {
  it('is quoted like the data, before the first slice', async () => {
    fixture.setColumns(['id', 'na"me'])
    const slices = randomSlices(6 * MiB, 6 * MiB)
    const fileId = await fixture.upload(slices)
    const result = await fixture.run({ tableId: 'in.c-main.orders', destination: destination() }, { fileId })
    const line = '"id","na""me"\n'
    expect(result.bytesThroughFunctions).toBe(6 * MiB + line.length)
    await checkMerged(Buffer.concat([Buffer.from(line), ...slices]))
  })

  it('is a member of its own before compressed slices', async () => {
    const members = [gzipSync('"1","a"\n'), gzipSync('"2","b"\n')]
    const fileId = await fixture.upload(members)
    const input = { tableId: 'in.c-main.orders', destination: destination(), gzip: true }
    await fixture.run(input, { fileId })
    expect(gunzipSync(await fixture.read(key)).toString()).toBe('"id","na""me"\n"1","a"\n"2","b"\n')
    expect((await fixture.describe(key)).ContentType).toBe('application/gzip')
  })

  it('is left out when nobody wants it', async () => {
    const slices = randomSlices(100)
    const fileId = await fixture.upload(slices)
    await fixture.run({ tableId: 'in.c-main.orders', destination: destination(), header: false }, { fileId })
    await checkMerged(Buffer.concat(slices))
  })

  it('of a file has the names that are given', async () => {
    const fileId = await fixture.upload([Buffer.from('"1"\n')])
    await fixture.run({ fileId, destination: destination(), columns: ['id'] })
    await checkMerged(Buffer.from('"id"\n"1"\n'))
  })
})

describe('gzip', () => {
  const lines = Array.from({ length: 4 }, (_, slice) => `"${slice}"\n`.repeat(200_000))

  it('members are concatenated as they are', async () => {
    const members = lines.map(text => gzipSync(text))
    await fixture.run({ fileId: await fixture.upload(members), destination: destination() })
    await checkMerged(Buffer.concat(members))
  })
})

const membersOf = (text: string): Buffer =>
  Buffer.concat((text.match(/[^\n]*\n|[^\n]+|^$/g) ?? []).map(line => gzipSync(line)))

describe('slices of text that do not end in a line end', () => {
  const large = `${randomBytes(3 * 1024 ** 2).toString('hex')},1\n2`
  const packings: [string, (text: string) => Buffer][] = [
    ['plain', text => Buffer.from(text)],
    ['in gzip', text => (text === '' ? Buffer.alloc(0) : gzipSync(text))],
    ['in gzip of many members', membersOf],
  ]
  it.each(
    packings.flatMap(([packing, pack]) =>
      [
        { slices: ['a,1\n', 'b,2', '', 'c,3\nd,4', 'e,5'], whole: 'a,1\nb,2\nc,3\nd,4\ne,5' },
        { slices: ['{"a":1}', '{"a":2}\n', '{"a":3}', ''], whole: '{"a":1}\n{"a":2}\n{"a":3}' },
        { slices: ['a,1\r\nb', 'c\r\n'], whole: 'a,1\r\nb\nc\r\n' },
        { slices: [large, large, 'é'], whole: `${large}\n${large}\né` },
        { slices: ['1', '2'], columns: ['id'], whole: '"id"\n1\n2' },
      ].map(row => ({ packing, pack, ...row })),
    ),
  )('have one in the file: $packing, $slices.length', async row => {
    const { packing, pack, slices, whole, columns } = row
    const fileId = await fixture.upload(slices.map(text => pack(text)))
    await fixture.run({ fileId, destination: destination(), columns }, { repeats: 2 })
    const merged = await fixture.read(key)
    expect((packing === 'plain' ? merged : gunzipSync(merged)).equals(Buffer.from(whole))).toBe(true)
  })

  it('are not looked for in what an export of a table has compressed: it ends each line', async () => {
    const slices = [gzipSync('1'), gzipSync('2')]
    await fixture.run(
      { tableId: 'in.c-main.t', destination: destination(), gzip: true, header: false },
      { fileId: await fixture.upload(slices) },
    )
    await checkMerged(Buffer.concat(slices))
  })
})

describe('refused is', () => {
  const text = Buffer.from('1\n')
  const parquet = Buffer.from('PAR1\x15\x04…PAR1')
  it.each<[string, Buffer[], { columns?: string[] }]>([
    ['Parquet after Parquet', [parquet, Buffer.alloc(0), parquet], {}],
    ['Parquet after a header', [parquet], { columns: ['id'] }],
    ['Parquet in gzip', [gzipSync(parquet), gzipSync(parquet)], {}],
    ['text after Parquet', [parquet, text], {}],
    ['text after gzip', [gzipSync(text), text], {}],
    ['gzip after text', [text, Buffer.alloc(0), gzipSync(text)], {}],
    [
      'gzip after gzip with padding, which readers end at',
      [Buffer.concat([gzipSync(text), Buffer.alloc(9)]), gzipSync(text)],
      {},
    ],
    ['a byte order mark after text', [text, Buffer.from('\ufeff2\n')], {}],
    ['a byte order mark after a header', [Buffer.from('\ufeff2\n')], { columns: ['id'] }],
    ['a byte order mark in gzip', [gzipSync('\ufeff1\n'), gzipSync('\ufeff2\n')], {}],
    ['gzip after gzip that is cut off', [gzipSync(text).subarray(0, -4), gzipSync(text)], {}],
  ])('before a byte is written, %s', async (_, slices, input) => {
    const fileId = await fixture.upload(slices)
    await expect(fixture.run({ fileId, destination: destination(), ...input })).rejects.toMatchObject({
      code: 'storage.slicesNotJoined',
    })
    expect(await fixture.unfinishedUploads()).toEqual([])
    expect(await fixture.keys()).not.toContain(key)
  })

  it('no byte order mark at the beginning of the file', async () => {
    const fileId = await fixture.upload([Buffer.alloc(0), Buffer.from('\ufeff1\n'), text])
    await fixture.run({ fileId, destination: destination() })
    await checkMerged(Buffer.from('\ufeff1\n1\n'))
  })

  it('nothing of a file that is one slice, whatever it is', async () => {
    await fixture.run({ fileId: await fixture.upload([parquet]), destination: destination() })
    await checkMerged(parquet)
    expect((await fixture.describe(key)).ContentType).toBe('application/vnd.apache.parquet')
  })

  it('a manifest that names what is not the file’s', async () => {
    const other = await fixture.upload(randomSlices(10))
    const url = `s3://${fixture.files}/${fixture.keyOf(other)}_part_000000`
    const fileId = await fixture.upload([], { manifest: { entries: [{ url }] } })
    await expect(fixture.run({ fileId, destination: destination() })).rejects.toMatchObject({
      code: 'storage.unauthorizedAccess',
    })
  })

  it('a manifest that names a slice which is not there', async () => {
    const fileId = await fixture.upload(randomSlices(10))
    const missing = `${fixture.keyOf(fileId)}_part_9`
    const Body = JSON.stringify({ entries: [{ url: `s3://${fixture.files}/${missing}` }] })
    const Key = `${fixture.keyOf(fileId)}manifest`
    await fixture.s3.send(new PutObjectCommand({ Bucket: fixture.files, Key, Body }))
    await expect(fixture.run({ fileId, destination: destination() })).rejects.toMatchObject({
      code: 'storage.sliceMissing',
      message: expect.stringContaining(missing),
    })
  })

  it('becomes an event when the machine gives up, whatever was asked for', async () => {
    const failure = { Error: 'UserError', Cause: '{"errorMessage":"A slice is missing."}' }
    const input = { tableId: 'in.c-main.orders', destination: destination() }
    for (const asked of [input, { fileId: 'seven' }])
      await mergeSlices(fixture.dependencies, stepOf('gives-up', asked, { failure }))
    expect(fixture.events.slice(-2)).toMatchObject([
      {
        component: 'millrace-export',
        type: 'error',
        message: 'Export of in.c-main.orders failed: A slice is missing.',
        params: { destination: { key }, error: { message: 'A slice is missing.' } },
      },
      { message: 'Export of something that was not understood failed: A slice is missing.' },
    ])
  })

  it('of its job is no event of the export: the job has one', async () => {
    const before = fixture.events.length
    const error = { code: 'storage.tables.notFound', message: 'There is no such table.' }
    const input = { tableId: 'in.c-main.orders', destination: destination() }
    const job = { status: 'error' as const, jobId: 7, error }
    const answer = await mergeSlices(fixture.dependencies, stepOf('job-failed', input, { job }))
    expect(answer).toEqual({ next: 'failed', failure: error })
    expect(fixture.events).toHaveLength(before)
  })

  it.each([6 * MiB, 100])('a slice of %i bytes that changes after planning', async size => {
    const fileId = await fixture.upload(randomSlices(size, 6 * MiB, 10))
    const Key = `${fixture.keyOf(fileId)}_part_000000`
    let isChanged = false
    fixture.proxy.decide(({ url = '', method }) => {
      const isCreation = method === 'POST' && url.includes('uploads')
      if (isCreation && !isChanged) {
        isChanged = true
        void fixture.s3.send(new PutObjectCommand({ Bucket: fixture.files, Key, Body: Buffer.alloc(size) }))
        return 'slowFirstByte'
      }
      return undefined
    })
    await expect(fixture.run({ fileId, destination: destination() })).rejects.toMatchObject({
      code: 'source.changed',
    })
    expect(await fixture.unfinishedUploads()).toEqual([])
    expect(await fixture.keys()).not.toContain(key)
  })

  it('a destination that exists, when it must stay', async () => {
    await fixture.s3.send(new PutObjectCommand({ Bucket: fixture.exports, Key: key, Body: 'mine' }))
    const fileId = await fixture.upload(randomSlices(10))
    await expect(
      fixture.run({ fileId, destination: { ...destination(), overwrite: false } }),
    ).rejects.toMatchObject({ code: 'export.destinationExists' })
    expect((await fixture.read(key)).toString()).toBe('mine')
    expect(await fixture.unfinishedUploads()).toEqual([])
  })

  it('a bucket that is not there', async () => {
    const fileId = await fixture.upload(randomSlices(10))
    await expect(fixture.run({ fileId, destination: { bucket: 'nowhere', key } })).rejects.toMatchObject({
      code: 'export.destinationMissing',
    })
  })
})

describe('faults of S3', () => {
  const slices = randomSlices(5 * MiB, 0, 100, 7)
  const expected = Buffer.concat(slices)
  const faults: Fault[] = [
    'slowDown',
    'error500After',
    'resetBefore',
    'resetAfter',
    'halfABody',
    'slowFirstByte',
  ]

  // Unless all are wanted, each call is hit by one of the faults, and each fault hits every sixth call.
  const step = stride(faults.length)

  it.each(faults)('%s at any one call: the same object', async fault => {
    const fileId = await fixture.upload(slices)
    await fixture.run({ fileId, destination: destination() })
    const calls = fixture.proxy.count()
    expect(calls).toBeGreaterThan(10)
    for (let faulty = 1 + (faults.indexOf(fault) % step); faulty <= calls; faulty += step) {
      key = `exports of today/${keys}-${faulty}.csv`
      fixture.proxy.decide((_, number) => (number === faulty ? fault : undefined))
      await fixture.run({ fileId, destination: destination() })
      await checkDescribed(expected)
    }
  })

  const isCreation = (method: string, url: string) => method === 'POST' && url.includes('?uploads')
  const isPart = (method: string, url: string) => method === 'PUT' && url.includes('partNumber')
  const isCompletion = (method: string, url: string) => method === 'POST' && url.includes('uploadId')

  it.each<[string, Fault, (method: string, url: string) => boolean]>([
    ['creation that is refused', 'slowDown', isCreation],
    ['creation that is cut off', 'resetBefore', isCreation],
    ['creation whose answer is lost', 'resetAfter', isCreation],
    ['part that is refused', 'slowDown', isPart],
    ['part that is cut off', 'resetBefore', isPart],
    ['completion that is refused', 'slowDown', isCompletion],
    ['completion that is cut off', 'resetBefore', isCompletion],
  ])('each %s: a failure that leaves nothing', async (_, fault, isHit) => {
    fixture.proxy.decide(({ method = '', url = '' }) => (isHit(method, url) ? fault : undefined))
    const fileId = await fixture.upload(slices)
    await expect(fixture.run({ fileId, destination: destination() })).rejects.toThrow()
    expect(await fixture.unfinishedUploads()).toEqual([])
    expect((await fixture.keys()).filter(name => name === key)).toEqual([])
  })

  it.each<[string, (method: string, url: string) => boolean]>([
    ['part', isPart],
    ['completion', isCompletion],
  ])('each %s whose answer is lost: the same object', async (_, isHit) => {
    fixture.proxy.decide(({ method = '', url = '' }) => (isHit(method, url) ? 'resetAfter' : undefined))
    const fileId = await fixture.upload(slices)
    await fixture.run({ fileId, destination: destination() })
    await checkMerged(expected)
  })
})

const stepOf = (name: string, input: unknown, more: object) =>
  stepEvent.parse({
    input,
    execution: `arn:aws:states:us-east-1:000000000000:execution:Export:${name}`,
    since: '2026-11-28T00:00:00Z',
    state: { begun: 'job' },
    ...more,
  })
