import { Readable } from 'node:stream'
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ChecksumAlgorithm,
  checksumAlgorithms,
  describeChecksums,
  startChecksum,
} from '#local/s3/body/checksums.ts'
import { combineChecksums } from '#local/s3/body/combine-crc.ts'
import { startTestS3, type TestS3 } from '../../support/embedded-s3.ts'

const checksumOf = async (algorithm: ChecksumAlgorithm, ...pieces: Uint8Array[]): Promise<string> => {
  const checksum = startChecksum(algorithm)
  for (const piece of pieces) checksum.update(piece)
  return checksum.digest()
}

describe('checksums', () => {
  // The check values of the CRC catalogue, over "123456789".
  it.each<[ChecksumAlgorithm, string]>([
    ['CRC32', 'cbf43926'],
    ['CRC32C', 'e3069283'],
    ['CRC64NVME', 'ae8b14860a799888'],
    ['SHA1', 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
    ['SHA256', '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225'],
  ])('%s has its published check value', async (algorithm, hex) => {
    const value = await checksumOf(algorithm, Buffer.from('123456789'))
    expect(Buffer.from(value, 'base64').toString('hex')).toBe(hex)
  })

  it.each(['CRC32', 'CRC32C', 'CRC64NVME'] as const)(
    '%s of a whole follows from those of its pieces',
    async algorithm => {
      const pieces = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 5 })
      await fc.assert(
        fc.asyncProperty(pieces, async parts => {
          const known = parts.map(async part => ({
            value: await checksumOf(algorithm, part),
            size: part.length,
          }))
          expect(combineChecksums(algorithm, await Promise.all(known))).toBe(
            await checksumOf(algorithm, ...parts),
          )
        }),
      )
    },
  )
})

describe('an object with a checksum', () => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startTestS3()
    await s3.s3.createBucket('box')
  })
  afterAll(() => s3.close())

  it.each(checksumAlgorithms)('has its %s checked and returned', async algorithm => {
    const expected = {
      ...describeChecksums({ [algorithm]: await checksumOf(algorithm, Buffer.from('content')) }),
      ChecksumType: 'FULL_OBJECT',
    }
    const put = await s3.client.send(
      new PutObjectCommand({ Bucket: 'box', Key: algorithm, Body: 'content', ChecksumAlgorithm: algorithm }),
    )
    expect(put).toMatchObject(expected)
    const asked = { Bucket: 'box', Key: algorithm, ChecksumMode: 'ENABLED' } as const
    expect(await s3.client.send(new HeadObjectCommand(asked))).toMatchObject(expected)
    const got = await s3.client.send(new GetObjectCommand(asked))
    expect(got).toMatchObject(expected)
    expect(await got.Body?.transformToString()).toBe('content')
  })

  it('of a stream has it in the trailer', async () => {
    const body = Readable.from([Buffer.from('con'), Buffer.from('tent')])
    const put = await s3.client.send(
      new PutObjectCommand({
        Bucket: 'box',
        Key: 'stream',
        Body: body,
        ContentLength: 7,
        ChecksumAlgorithm: 'CRC32',
      }),
    )
    expect(put.ChecksumCRC32).toBe(await checksumOf('CRC32', Buffer.from('content')))
  })

  it('is not returned for a range of the object', async () => {
    const got = await s3.client.send(
      new GetObjectCommand({ Bucket: 'box', Key: 'CRC32', ChecksumMode: 'ENABLED', Range: 'bytes=1-2' }),
    )
    expect(got.ChecksumCRC32).toBeUndefined()
    expect(await got.Body?.transformToString()).toBe('on')
  })
})
