import {
  type CompletedPart,
  CopyObjectCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import {
  complete,
  create,
  first,
  key,
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

useMultipartUploads()

describe('UploadPartCopy', () => {
  const copyPart = async (
    UploadId: string,
    PartNumber: number,
    CopySource: string,
    extra: object = {},
  ): Promise<CompletedPart> => {
    const command = new UploadPartCopyCommand({
      Bucket: 'box',
      Key: key,
      UploadId,
      PartNumber,
      CopySource,
      ...extra,
    })
    const { CopyPartResult: { LastModified: _, ...part } = {} } = await s3.client.send(command)
    return { PartNumber, ...part }
  }

  it('combines objects and ranges without storing a byte again', async () => {
    await s3.client.send(new PutObjectCommand({ Bucket: 'box', Key: 'source/a b+ü', Body: second }))
    const files = await storedFiles()
    const id = await create()
    const source = `box/${encodeURIComponent('source/a b+ü')}`
    const parts = [
      await copyPart(id, 1, source),
      await copyPart(id, 2, source, { CopySourceRange: `bytes=7-${5 * MiB + 6}` }),
      await copyPart(id, 3, source, { CopySourceRange: 'bytes=1-3' }),
    ]
    expect(parts.map(({ ETag }) => ETag)).toEqual(
      [second, second.subarray(7, 5 * MiB + 7), second.subarray(1, 4)].map(
        data => `"${md5(data).toString('hex')}"`,
      ),
    )
    await complete(id, parts)
    expect(await storedFiles()).toEqual(files)

    const expected = Buffer.concat([second, second.subarray(7, 5 * MiB + 7), second.subarray(1, 4)])
    await s3.client.send(new DeleteObjectCommand({ Bucket: 'box', Key: 'source/a b+ü' }))
    expect((await read()).equals(expected)).toBe(true)
    expect(
      (await read({ Range: `bytes=${6 * MiB - 2}-${6 * MiB + 2}` })).equals(
        expected.subarray(6 * MiB - 2, 6 * MiB + 3),
      ),
    ).toBe(true)
    await s3.client.send(new DeleteObjectCommand({ Bucket: 'box', Key: key }))
    // The bytes go after the row that named them.
    await eventually(async () => expect(await storedFiles()).toHaveLength(files.length - 1))
  })

  it('copies out of an object made of parts, and gives the checksum of the upload', async () => {
    const source = await create()
    await complete(source, [await upload(source, 1, first), await upload(source, 2, second)])
    const from = `box/${encodeURIComponent(key)}`
    useKey(`${key} copy`)
    const id = await create({ ChecksumAlgorithm: 'CRC64NVME' })
    const part = await copyPart(id, 1, from, { CopySourceRange: `bytes=${5 * MiB - 10}-${5 * MiB + 9}` })
    expect(part.ChecksumCRC64NVME).toMatch(/=$/)
    expect(await complete(id, [part])).toMatchObject({
      ChecksumCRC64NVME: part.ChecksumCRC64NVME,
      ChecksumType: 'FULL_OBJECT',
    })
    expect((await read()).equals(Buffer.concat([first.subarray(-10), second.subarray(0, 10)]))).toBe(true)
  })

  it('refuses a range that is not within the source', async () => {
    await s3.client.send(new PutObjectCommand({ Bucket: 'box', Key: 'small', Body: '12345' }))
    const id = await create()
    await expect(copyPart(id, 1, 'box/small', { CopySourceRange: 'bytes=0-5' })).rejects.toMatchObject({
      name: 'InvalidArgument',
    })
    await expect(copyPart(id, 1, 'box/missing')).rejects.toMatchObject({ name: 'NoSuchKey' })
    await expect(copyPart(id, 1, 'box/small', { CopySourceIfMatch: '"x"' })).rejects.toMatchObject({
      name: 'PreconditionFailed',
    })
  })
})

describe('CopyObject', () => {
  const copy = (input: object) =>
    s3.client.send(new CopyObjectCommand({ Bucket: 'box', Key: key, CopySource: 'box/original', ...input }))
  beforeAll(async () => {
    const described = { ContentType: 'text/csv', Metadata: { a: '1' } }
    await s3.client.send(
      new PutObjectCommand({ Bucket: 'box', Key: 'original', Body: 'content', ...described }),
    )
  })
  const head = () =>
    s3.client.send(new HeadObjectCommand({ Bucket: 'box', Key: key, ChecksumMode: 'ENABLED' }))

  it('copies metadata and checksum', async () => {
    const { CopyObjectResult } = await copy({})
    expect(CopyObjectResult?.ETag).toBe(`"${md5(Buffer.from('content')).toString('hex')}"`)
    expect(await head()).toMatchObject({ ContentType: 'text/csv', Metadata: { a: '1' } })
    expect((await head()).ChecksumCRC32).toBe(CopyObjectResult?.ChecksumCRC32)
    expect((await read()).toString()).toBe('content')
  })

  it('replaces metadata when the directive says so', async () => {
    await copy({ MetadataDirective: 'REPLACE', Metadata: { b: '2' }, ContentType: 'text/plain' })
    expect(await head()).toMatchObject({ ContentType: 'text/plain', Metadata: { b: '2' } })
  })

  it('to itself must change something', async () => {
    await expect(copy({ Key: 'original' })).rejects.toMatchObject({ name: 'InvalidRequest' })
    await copy({
      Key: 'original',
      MetadataDirective: 'REPLACE',
      Metadata: { a: '1' },
      ContentType: 'text/csv',
    })
    useKey('original')
    expect((await read()).toString()).toBe('content')
    await copy({ Key: 'original', ServerSideEncryption: 'AES256' })
    await expect(copy({ Key: 'original' })).rejects.toMatchObject({ name: 'InvalidRequest' })
  })

  it('obeys the conditions on its source', async () => {
    await expect(copy({ CopySourceIfMatch: '"x"' })).rejects.toMatchObject({ name: 'PreconditionFailed' })
    await expect(copy({ CopySourceIfNoneMatch: '*' })).rejects.toMatchObject({ name: 'PreconditionFailed' })
    await expect(copy({ CopySource: 'box/missing' })).rejects.toMatchObject({ name: 'NoSuchKey' })
    await copy({ CopySourceIfUnmodifiedSince: new Date(Date.now() + 60_000) })
  })
})
