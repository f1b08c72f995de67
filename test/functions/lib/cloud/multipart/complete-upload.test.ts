import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import {
  completeUpload,
  createUpload,
  listParts,
  type MultipartUpload,
} from '#lib/cloud/multipart/multipart-upload.ts'
import { sendPart } from '#lib/cloud/multipart/write-part.ts'
import { listWithoutChecksums } from '#support/list-without-checksums.ts'
import { startObjectStore } from '#support/object-store.ts'
import { untilEnd } from '#support/until-end.ts'

const store = await untilEnd(startObjectStore())
const bucket = await store.createBucket('uploads')

/** A service that lists parts without their checksums, and loses answers when it is told to. */
const client = ({ losesAnswers = false } = {}): S3Client => {
  const s3 = store.newClient()
  s3.middlewareStack.add(
    (next, { commandName }) =>
      async args => {
        const reply = await next(args)
        if (losesAnswers && commandName === 'CompleteMultipartUploadCommand') throw new Error('lost')
        return reply
      },
    { step: 'initialize' },
  )
  return listWithoutChecksums(s3)
}

const parts = [Buffer.alloc(5 * 1024 * 1024, 'a'), Buffer.from('end')] as const
const upload = async (key: string, s3: S3Client): Promise<MultipartUpload> => {
  const begun = await createUpload({ s3, bucket, key })
  for (const [index, part] of parts.entries()) await sendPart(begun, index + 1, part.length, part)
  return begun
}

describe('completing an upload whose parts are listed without checksums', () => {
  it('takes the checksum that S3 works out', async () => {
    const s3 = client()
    const begun = await upload('b', s3)
    const listed = await listParts(begun)
    expect(listed.map(({ checksum }) => checksum)).toEqual([undefined, undefined])
    const completed = await completeUpload(begun, listed)

    const other = await upload('c', store.client)
    const withChecksums = await completeUpload(other, await listParts(other))
    expect(completed).toEqual(withChecksums)
    expect(completed.checksum).toMatch(/^[\w+/]{6}==$/)
  })

  it('finds by its ETag the object whose answer was lost', async () => {
    const begun = await upload('lost', client({ losesAnswers: true }))
    const completed = await completeUpload(begun, await listParts(begun))
    expect(completed).toMatchObject({ bytes: parts[0].length + parts[1].length })
    const { Body } = await store.client.send(new GetObjectCommand({ Bucket: bucket, Key: 'lost' }))
    expect((await Body?.transformToByteArray())?.length).toBe(completed.bytes)
  })

  it('does not take another object of that size for its own', async () => {
    const other = await upload('other', store.client)
    await completeUpload(other, await listParts(other))
    const begun = await createUpload({ s3: client(), bucket, key: 'other' })
    const changed = Buffer.alloc(parts[0].length, 'b')
    await sendPart(begun, 1, changed.length, changed)
    await sendPart(begun, 2, parts[1].length, parts[1])
    const listed = await listParts(begun)
    begun.s3.middlewareStack.add(
      (next, { commandName }) =>
        async args => {
          if (commandName === 'CompleteMultipartUploadCommand') throw new Error('refused')
          return next(args)
        },
      { step: 'initialize', priority: 'high' },
    )
    await expect(completeUpload(begun, listed)).rejects.toThrow('refused')
  })
})
