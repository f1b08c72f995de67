import { createHash, randomBytes } from 'node:crypto'
import {
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  GetObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { dataFiles, startTestS3, type TestS3 } from '../../support/embedded-s3.ts'

export const MiB = 1024 ** 2
export let s3: TestS3
export let key = ''
let count = 0

/** A server with the bucket `box`, for one test file; each test has a key of its own. */
export const useMultipartUploads = (): void => {
  beforeAll(async () => {
    s3 = await startTestS3()
    await s3.s3.createBucket('box')
  })
  beforeEach(() => {
    key = `upload ${count++}`
  })
  afterAll(() => s3.close())
}

/** Another key for the rest of this test. */
export const useKey = (other: string): void => {
  key = other
}

export const create = async (input: Partial<CreateMultipartUploadCommandInput> = {}): Promise<string> => {
  const { UploadId } = await s3.client.send(
    new CreateMultipartUploadCommand({ Bucket: 'box', Key: key, ...input }),
  )
  return UploadId ?? ''
}
export const upload = async (
  UploadId: string,
  PartNumber: number,
  Body: Buffer,
  extra: object = {},
): Promise<CompletedPart> => {
  const command = new UploadPartCommand({ Bucket: 'box', Key: key, UploadId, PartNumber, Body, ...extra })
  const { $metadata: _, ...part } = await s3.client.send(command)
  return { PartNumber, ...part }
}
export const complete = (UploadId: string, Parts: CompletedPart[], extra: object = {}) =>
  s3.client.send(
    new CompleteMultipartUploadCommand({
      Bucket: 'box',
      Key: key,
      UploadId,
      MultipartUpload: { Parts },
      ...extra,
    }),
  )
export const read = async (input: object = {}): Promise<Buffer> => {
  const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'box', Key: key, ...input }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}
export const md5 = (...data: Buffer[]): Buffer => createHash('md5').update(Buffer.concat(data)).digest()

export const [first, second, last] = [randomBytes(5 * MiB), randomBytes(6 * MiB), randomBytes(1000)]

export const storedFiles = (): Promise<string[]> => dataFiles(s3.dataDir)
