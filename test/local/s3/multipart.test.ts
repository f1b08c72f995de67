import { createHash } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { describe, expect, it } from 'vitest'
import { startChecksum } from '#local/s3/body/checksums.ts'
import { eventually } from '../../support/eventually.ts'
import {
  complete,
  create,
  first,
  key,
  last,
  MiB,
  md5,
  read,
  s3,
  second,
  storedFiles,
  upload,
  useKey,
  useMultipartUploads,
} from './multipart-client.ts'
import { sendSigned } from './raw-client.ts'

useMultipartUploads()

describe('a multipart upload', () => {
  it.each([
    ['evil.example', () => s3.s3.endpoint],
    ['localhost:1234', () => 'http://localhost:1234'],
  ])('that is completed under the name %s has a trusted location', async (host, origin) => {
    const id = await create()
    const { ETag } = await upload(id, 1, last)
    const reply = await sendSigned(s3.s3.endpoint, {
      method: 'POST',
      path: `/box/${encodeURIComponent(key)}?uploadId=${id}`,
      headers: { host },
      body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${ETag}</ETag></Part></CompleteMultipartUpload>`,
    })
    expect(reply.body).toContain(`<Location>${origin()}/box/${encodeURIComponent(key)}</Location>`)
  })

  it('becomes one object with the ETag of its parts', async () => {
    const id = await create({ ContentType: 'text/csv', Metadata: { a: 'b' } })
    const parts = [await upload(id, 1, first), await upload(id, 3, second), await upload(id, 7, last)]
    const { ETag } = await complete(id, parts)
    expect(ETag).toBe(`"${md5(md5(first), md5(second), md5(last)).toString('hex')}-3"`)
    expect(Buffer.concat([first, second, last]).equals(await read())).toBe(true)
    const head = await s3.client.send(new HeadObjectCommand({ Bucket: 'box', Key: key }))
    expect(head).toMatchObject({
      ETag,
      ContentType: 'text/csv',
      Metadata: { a: 'b' },
      ContentLength: 11 * MiB + 1000,
    })
  })

  it('is read in ranges that run across its parts, and part by part', async () => {
    const id = await create()
    await complete(id, [await upload(id, 1, first), await upload(id, 2, second), await upload(id, 3, last)])
    const whole = Buffer.concat([first, second, last])
    for (const [from, to] of [
      [5 * MiB - 3, 5 * MiB + 3],
      [0, 11 * MiB + 10],
      [11 * MiB - 1, 11 * MiB],
    ] as const)
      expect((await read({ Range: `bytes=${from}-${to}` })).equals(whole.subarray(from, to + 1))).toBe(true)
    expect((await read({ PartNumber: 2 })).equals(second)).toBe(true)
    const head = await s3.client.send(new HeadObjectCommand({ Bucket: 'box', Key: key, PartNumber: 3 }))
    expect([head.PartsCount, head.ContentLength]).toEqual([3, 1000])
    await s3.client.send(new PutObjectCommand({ Bucket: 'box', Key: 'in one piece', Body: 'text' }))
    const ofOnePart = new HeadObjectCommand({ Bucket: 'box', Key: 'in one piece', PartNumber: 1 })
    expect((await s3.client.send(ofOnePart)).PartsCount).toBeUndefined()
  })

  it('uses the last upload of each part, and only the listed parts', async () => {
    const id = await create()
    await upload(id, 1, second)
    await upload(id, 2, second)
    const parts = [await upload(id, 1, first), await upload(id, 3, last)]
    await complete(id, parts)
    expect((await read()).equals(Buffer.concat([first, last]))).toBe(true)
  })

  it('answers a repeated Complete as it did the first', async () => {
    const id = await create()
    const parts = [await upload(id, 1, last)]
    const { $metadata: _, ...answer } = await complete(id, parts, { IfNoneMatch: '*' })
    await s3.client.send(new DeleteObjectCommand({ Bucket: 'box', Key: key }))
    expect(await complete(id, parts, { IfNoneMatch: '*' })).toMatchObject(answer)
    await expect(read()).rejects.toMatchObject({ name: 'NoSuchKey' })
  })

  it.each<[string, (parts: CompletedPart[]) => CompletedPart[], string]>([
    [
      'a part too small',
      ([one, two, three]) => [three, one, two].map((part, i) => ({ ...part, PartNumber: i + 1 })),
      'InvalidPart',
    ],
    ['parts out of order', parts => parts.toReversed(), 'InvalidPartOrder'],
    ['a part twice', ([one = {}]) => [one, one], 'InvalidPartOrder'],
    ['a part that was not sent', parts => [...parts, { PartNumber: 9, ETag: '"x"' }], 'InvalidPart'],
    ['an ETag that is another', ([one = {}]) => [{ ...one, ETag: '"x"' }], 'InvalidPart'],
    ['a checksum that is another', ([one = {}]) => [{ ...one, ChecksumCRC32: 'AAAAAA==' }], 'InvalidPart'],
    ['no part', () => [], 'MalformedXML'],
  ])('is refused with %s', async (_, change, name) => {
    const id = await create()
    const parts = [await upload(id, 1, first), await upload(id, 2, second), await upload(id, 3, last)]
    await expect(complete(id, change(parts))).rejects.toMatchObject({ name })
  })

  it('is refused when a part before the last has less than 5 MiB', async () => {
    const id = await create()
    const parts = [await upload(id, 1, last), await upload(id, 2, first)]
    await expect(complete(id, parts)).rejects.toMatchObject({ name: 'EntityTooSmall' })
    const whole = [await upload(id, 1, first.subarray(0, 5 * MiB)), await upload(id, 2, last)]
    await complete(id, whole)
  })

  it('obeys If-None-Match, and stays open when it does not hold', async () => {
    const ids = [await create(), await create()]
    const [one = [], two = []] = await Promise.all(ids.map(async id => [await upload(id, 1, last)]))
    await complete(ids[0] ?? '', one, { IfNoneMatch: '*' })
    await expect(complete(ids[1] ?? '', two, { IfNoneMatch: '*' })).rejects.toMatchObject({
      name: 'PreconditionFailed',
    })
    await complete(ids[1] ?? '', two)
  })

  it('is removed with its files when it is aborted', async () => {
    const before = await storedFiles()
    const id = await create()
    await upload(id, 1, first)
    await s3.client.send(new AbortMultipartUploadCommand({ Bucket: 'box', Key: key, UploadId: id }))
    // The bytes go after the row that named them, and those of tests before may go meanwhile.
    await eventually(async () => expect(before).toEqual(expect.arrayContaining(await storedFiles())))
    await expect(upload(id, 2, last)).rejects.toMatchObject({ name: 'NoSuchUpload' })
    await expect(complete(id, [{ PartNumber: 1, ETag: '"x"' }])).rejects.toMatchObject({
      name: 'NoSuchUpload',
    })
  })

  it('belongs to its key', async () => {
    const id = await create()
    useKey('another key')
    await expect(upload(id, 1, last)).rejects.toMatchObject({ name: 'NoSuchUpload' })
  })

  it('lists its parts page by page', async () => {
    const id = await create({ ChecksumAlgorithm: 'CRC32' })
    for (const number of [2, 5, 9]) await upload(id, number, last)
    const list = (input: object) =>
      s3.client.send(new ListPartsCommand({ Bucket: 'box', Key: key, UploadId: id, ...input }))
    const page = await list({ MaxParts: 2 })
    expect(page).toMatchObject({ IsTruncated: true, ChecksumAlgorithm: 'CRC32', ChecksumType: 'COMPOSITE' })
    expect(page.Parts?.map(part => [part.PartNumber, part.Size, part.ETag])).toEqual(
      [2, 5].map(number => [number, 1000, `"${md5(last).toString('hex')}"`]),
    )
    const rest = await list({ PartNumberMarker: page.NextPartNumberMarker })
    expect([rest.IsTruncated, rest.Parts?.map(part => part.PartNumber)]).toEqual([false, [9]])
  })

  it('is listed among the open ones', async () => {
    await s3.s3.createBucket('uploads')
    for (const Key of ['a/1', 'a/2', 'b', 'b'])
      await s3.client.send(new CreateMultipartUploadCommand({ Bucket: 'uploads', Key }))
    const list = (input: object) =>
      s3.client.send(new ListMultipartUploadsCommand({ Bucket: 'uploads', ...input }))
    const found: (string | undefined)[] = []
    let marker: object = {}
    for (;;) {
      const page = await list({ MaxUploads: 1, ...marker })
      found.push(...(page.Uploads ?? []).map(({ Key }) => Key))
      if (page.IsTruncated !== true) break
      marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
    }
    expect(found).toEqual(['a/1', 'a/2', 'b', 'b'])
    const grouped = await list({ Delimiter: '/' })
    expect(grouped.CommonPrefixes).toEqual([{ Prefix: 'a/' }])
    expect(grouped.Uploads).toHaveLength(2)
  })
})

describe('checksums of a multipart upload', () => {
  const crc32 = (data: Buffer): string => {
    const checksum = startChecksum('CRC32')
    checksum.update(data)
    return String(checksum.digest())
  }

  it('cover the whole object on request', async () => {
    const id = await create({ ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' })
    const parts = [
      await upload(id, 1, first, { ChecksumAlgorithm: 'CRC32' }),
      await upload(id, 2, last, { ChecksumAlgorithm: 'CRC32' }),
    ]
    const whole = crc32(Buffer.concat([first, last]))
    await expect(
      complete(id, parts, { ChecksumCRC32: 'AAAAAA==', ChecksumType: 'FULL_OBJECT' }),
    ).rejects.toMatchObject({ name: 'BadDigest' })
    expect(await complete(id, parts, { ChecksumCRC32: whole, ChecksumType: 'FULL_OBJECT' })).toMatchObject({
      ChecksumCRC32: whole,
      ChecksumType: 'FULL_OBJECT',
    })
    const head = await s3.client.send(
      new HeadObjectCommand({ Bucket: 'box', Key: key, ChecksumMode: 'ENABLED' }),
    )
    expect(head).toMatchObject({ ChecksumCRC32: whole, ChecksumType: 'FULL_OBJECT' })
    const ofPart = await s3.client.send(
      new HeadObjectCommand({ Bucket: 'box', Key: key, PartNumber: 2, ChecksumMode: 'ENABLED' }),
    )
    expect(ofPart.ChecksumCRC32, 'of a part that is read alone').toBe(crc32(last))
  })

  it('are composite by default, and need the checksum of each part', async () => {
    const id = await create({ ChecksumAlgorithm: 'SHA256' })
    const parts = [
      await upload(id, 1, first, { ChecksumAlgorithm: 'SHA256' }),
      await upload(id, 2, last, { ChecksumAlgorithm: 'SHA256' }),
    ]
    const bare = parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
    await expect(complete(id, bare)).rejects.toMatchObject({ name: 'InvalidRequest' })
    const digests = [first, last].map(data => createHash('sha256').update(data).digest())
    const composite = createHash('sha256').update(Buffer.concat(digests)).digest('base64')
    expect(await complete(id, parts)).toMatchObject({
      ChecksumSHA256: `${composite}-2`,
      ChecksumType: 'COMPOSITE',
    })
  })

  it('cannot change their type in between', async () => {
    const id = await create({ ChecksumAlgorithm: 'SHA256' })
    await expect(upload(id, 1, last, { ChecksumAlgorithm: 'CRC32' })).rejects.toMatchObject({
      name: 'InvalidRequest',
    })
  })

  it('equal those that the SDK makes for a stream', async () => {
    const body = Buffer.concat([first, second])
    const done = await new Upload({
      client: s3.client,
      params: { Bucket: 'box', Key: key, Body: body },
      partSize: 5 * MiB,
    }).done()
    expect(done.ETag).toMatch(/-3"$/)
    expect((await read()).equals(body)).toBe(true)
  })
})
