import { S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { createFileAccess } from '#functions/storage-api/services/file-access.ts'
import { NONE } from '#lib/none.ts'
import type { FileRecord } from '#lib/storage/files/file-store.ts'

const client = { region: 'cn-north-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }
// Only what is read here.
const file = { id: 7, key: 'exp-15/7/a.csv', name: 'a.csv', isSliced: false } as FileRecord

/** Where nothing answers: what is asked is enough. */
const accessWith = (asked: { policy: string }[], dataKeyArn = NONE) =>
  createFileAccess({
    s3: new S3Client(client),
    assumeRole: async request => {
      asked.push(request)
      throw new Error('asked')
    },
    bucket: 'files',
    region: 'cn-north-1',
    roleArn: 'arn:aws-cn:iam::123456789012:role/files',
    dataKeyArn,
    signer: new S3Client({ ...client, requestChecksumCalculation: 'WHEN_REQUIRED' }),
  })

describe('access to a file', () => {
  it('is asked for in the partition of the role', async () => {
    const asked: { policy: string }[] = []
    await expect(accessWith(asked).credentials(file, 'read')).rejects.toThrow('asked')
    const { Statement } = JSON.parse(asked[0]?.policy ?? '')
    expect(Statement.map(({ Resource }: { Resource: string }) => Resource)).toEqual([
      'arn:aws-cn:s3:::files/exp-15/7/a.csv',
      'arn:aws-cn:s3:::files',
    ])
  })

  it.each([
    ['read', ['kms:Decrypt']],
    ['write', ['kms:Decrypt', 'kms:GenerateDataKey']],
  ] as const)('to %s, under a key of the customer, includes the use of that key', async (right, actions) => {
    const key = 'arn:aws-cn:kms:cn-north-1:123456789012:key/1'
    const asked: { policy: string }[] = []
    await expect(accessWith(asked, key).credentials(file, right)).rejects.toThrow('asked')
    const { Statement } = JSON.parse(asked[0]?.policy ?? '')
    expect(Statement.at(-1)).toEqual({ Effect: 'Allow', Action: actions, Resource: key })
  })

  it('an address to upload to names no checksum of the empty body that was signed', async () => {
    const { searchParams } = new URL(await accessWith([]).uploadUrl(file))
    expect([...searchParams.keys()].filter(name => /checksum/i.test(name))).toEqual([])
    expect(searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/)
  })
})
