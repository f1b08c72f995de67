import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { startObjectStore } from '#support/object-store.ts'
import { untilEnd } from '#support/until-end.ts'
import { refusal } from './refusal.ts'

const MiB = 1024 ** 2

const store = await untilEnd(startObjectStore())
const { client } = store
const Bucket = await store.createBucket('multipart')
const large = randomBytes(5 * MiB)

const open = async (Key: string, isSummed = false) => {
  const sums = isSummed && ({ ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' } as const)
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...sums }))
  return { Bucket, Key, UploadId }
}
type Upload = Awaited<ReturnType<typeof open>>

const send = async (upload: Upload, PartNumber: number, Body: Uint8Array): Promise<CompletedPart> => {
  const command = new UploadPartCommand({ ...upload, PartNumber, Body, ChecksumAlgorithm: 'CRC32' })
  const { ETag, ChecksumCRC32 } = await client.send(command)
  return { PartNumber, ETag, ChecksumCRC32 }
}

const complete = (upload: Upload, Parts: CompletedPart[], more = {}) =>
  client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts }, ...more }))

const withoutSum = ({ PartNumber, ETag }: CompletedPart): CompletedPart => ({ PartNumber, ETag })

const bytesOf = async (Key: string): Promise<Buffer> => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

const sumOf = (bytes: Uint8Array): string => {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum.toString('base64')
}

it('parts with checksums become an object with the checksum of the whole', async () => {
  const upload = await open('whole', true)
  const tail = Buffer.from('tail')
  const parts = [await send(upload, 1, large), await send(upload, 2, tail)]
  expect(parts.map(part => part.ChecksumCRC32)).toEqual([sumOf(large), sumOf(tail)])
  const whole = Buffer.concat([large, tail])
  const made = await complete(upload, parts, { ChecksumCRC32: sumOf(whole), ChecksumType: 'FULL_OBJECT' })
  expect(made).toMatchObject({ ChecksumCRC32: sumOf(whole), ChecksumType: 'FULL_OBJECT' })
  expect(made.ETag).toMatch(/-2"$/)
  const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'whole', ChecksumMode: 'ENABLED' }))
  expect(head).toMatchObject({
    ChecksumCRC32: sumOf(whole),
    ChecksumType: 'FULL_OBJECT',
    ContentLength: whole.length,
  })
  expect((await bytesOf('whole')).equals(whole)).toBe(true)
})

it('a wrong checksum of the whole is refused', async () => {
  const upload = await open('wrong', true)
  const parts = [await send(upload, 1, large)]
  const wrong = complete(upload, parts, { ChecksumCRC32: 'AAAAAA==', ChecksumType: 'FULL_OBJECT' })
  expect(await refusal(wrong)).toEqual([400, 'BadDigest'])
})

const copyInto = async (
  upload: Upload,
  PartNumber: number,
  CopySourceRange: string,
  CopySourceIfMatch?: string,
) => {
  const of = { CopySource: `${Bucket}/source`, CopySourceRange, CopySourceIfMatch }
  const { CopyPartResult } = await client.send(new UploadPartCopyCommand({ ...upload, PartNumber, ...of }))
  return { PartNumber, ETag: CopyPartResult?.ETag }
}
const putSource = () =>
  client.send(new PutObjectCommand({ Bucket, Key: 'source', Body: Buffer.concat([large, large]) }))

it('parts are copied from ranges of objects that have the ETag', async () => {
  const { ETag } = await putSource()
  const upload = await open('of ranges')
  await complete(upload, [
    await copyInto(upload, 1, `bytes=10-${5 * MiB + 9}`, ETag),
    await copyInto(upload, 2, `bytes=${10 * MiB - 3}-${10 * MiB - 1}`, ETag),
  ])
  const expected = Buffer.concat([large.subarray(10), large.subarray(0, 10), large.subarray(-3)])
  expect((await bytesOf('of ranges')).equals(expected)).toBe(true)
})

it('parts are not copied from an object that has moved', async () => {
  await putSource()
  const upload = await open('of a moved object')
  const moved = copyInto(upload, 1, 'bytes=0-99', '"00000000000000000000000000000000"')
  expect(await refusal(moved)).toEqual([412, 'PreconditionFailed'])
})

it('parts are listed as they were sent last', async () => {
  const upload = await open('sent again')
  await send(upload, 1, Buffer.from('first'))
  const again = await send(upload, 1, Buffer.from('second'))
  const { Parts } = await client.send(new ListPartsCommand(upload))
  expect(Parts?.map(({ ETag, Size }) => [ETag, Size])).toEqual([[again.ETag, 6]])
})

it('parts are listed in pages', async () => {
  const upload = await open('listed')
  for (const number of [1, 3, 7]) await send(upload, number, Buffer.from('text'))
  const first = await client.send(new ListPartsCommand({ ...upload, MaxParts: 2 }))
  expect(first.Parts?.map(({ PartNumber }) => PartNumber)).toEqual([1, 3])
  expect(first).toMatchObject({ IsTruncated: true, NextPartNumberMarker: '3' })
  const rest = await client.send(new ListPartsCommand({ ...upload, PartNumberMarker: '3' }))
  expect(rest.Parts?.map(({ PartNumber }) => PartNumber)).toEqual([7])
  expect(rest.IsTruncated ?? false).toBe(false)
  await client.send(new AbortMultipartUploadCommand(upload))
})

it('an object that is there already is not replaced on condition', async () => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'taken', Body: 'first' }))
  const upload = await open('taken')
  const parts = [withoutSum(await send(upload, 1, Buffer.from('second')))]
  expect(await refusal(complete(upload, parts, { IfNoneMatch: '*' }))).toEqual([412, 'PreconditionFailed'])
  expect((await bytesOf('taken')).toString()).toBe('first')
})

it('a part that is too small or unknown is refused', async () => {
  const upload = await open('refused')
  const small = withoutSum(await send(upload, 1, Buffer.from('small')))
  const next = withoutSum(await send(upload, 2, Buffer.from('next')))
  expect(await refusal(complete(upload, [small, next]))).toEqual([400, 'EntityTooSmall'])
  expect(await refusal(complete(upload, [{ PartNumber: 3, ETag: next.ETag }]))).toEqual([400, 'InvalidPart'])
  await complete(upload, [small])
  expect((await bytesOf('refused')).toString()).toBe('small')
})

it('parts out of order are refused', async () => {
  const upload = await open('unordered')
  const parts = [await send(upload, 2, large), await send(upload, 1, Buffer.from('small'))]
  expect(await refusal(complete(upload, parts.map(withoutSum)))).toEqual([400, 'InvalidPartOrder'])
})

it('what was aborted is gone from the list, and takes no parts', async () => {
  const upload = await open('aborted')
  await send(upload, 1, Buffer.from('text'))
  const uploads = async () => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'aborted' }))
    return Uploads.map(({ UploadId }) => UploadId)
  }
  expect(await uploads()).toEqual([upload.UploadId])
  await client.send(new AbortMultipartUploadCommand(upload))
  expect(await uploads()).toEqual([])
  expect(await refusal(send(upload, 2, Buffer.from('text')))).toEqual([404, 'NoSuchUpload'])
})

it('what was aborted is listed and aborted no more', async () => {
  const upload = await open('aborted twice')
  await client.send(new AbortMultipartUploadCommand(upload))
  expect(await refusal(client.send(new ListPartsCommand(upload)))).toEqual([404, 'NoSuchUpload'])
  expect(await refusal(client.send(new AbortMultipartUploadCommand(upload)))).toEqual([404, 'NoSuchUpload'])
})

it('open uploads are listed in pages, by their keys', async () => {
  const uploads = [await open('open/b'), await open('open/a'), await open('open/c')]
  const first = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'open/', MaxUploads: 2 }))
  expect(first.Uploads?.map(({ Key }) => Key)).toEqual(['open/a', 'open/b'])
  expect(first.IsTruncated).toBe(true)
  const marks = { KeyMarker: first.NextKeyMarker, UploadIdMarker: first.NextUploadIdMarker }
  const rest = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'open/', ...marks }))
  expect(rest.Uploads?.map(({ Key }) => Key)).toEqual(['open/c'])
  for (const upload of uploads) await client.send(new AbortMultipartUploadCommand(upload))
})
