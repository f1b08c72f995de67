import {
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'
import { untilEnd } from '#support/until-end.ts'

const service = await withStorage()

const files = '/v2/storage/files'
const prepare = (body: Record<string, unknown>, headers?: Record<string, string>) =>
  service.call('POST', `${files}/prepare`, { federationToken: 1, ...body }, headers)

interface WireCredentials {
  AccessKeyId: string
  SecretAccessKey: string
  SessionToken: string
}

const clientWith = ({ AccessKeyId, SecretAccessKey, SessionToken }: WireCredentials) =>
  new S3Client({
    endpoint: service.s3Endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
  })

const denied = expect.objectContaining({ name: 'AccessDenied' })

const parentOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)

const expectRefused = async (client: S3Client, Bucket: string, Key: string): Promise<void> => {
  await expect(client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))).rejects.toEqual(denied)
  await expect(client.send(new GetObjectCommand({ Bucket, Key }))).rejects.toEqual(denied)
}

describe('the credentials of a file', () => {
  it('put and get its object, in one request or by parts, and no other', async () => {
    const { body: file } = await prepare({ name: 'a.csv' })
    const { body: other } = await prepare({ name: 'b.csv' })
    const { bucket, key, credentials } = file.uploadParams
    const client = await untilEnd(clientWith(credentials))
    await client.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        Body: 'x',
        ACL: 'private',
        ServerSideEncryption: 'AES256',
      }),
    )
    await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    for (const foreign of [`${key}x`, `${parentOf(key)}x`, other.uploadParams.key, 'exp-15/7/files/secret'])
      await expectRefused(client, bucket, foreign)
    await expect(
      client.send(new PutObjectCommand({ Bucket: 'tables', Key: key, Body: 'x' })),
    ).rejects.toEqual(denied)
    for (const Prefix of ['', parentOf(key)])
      await expect(client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }))).rejects.toEqual(denied)
  })

  it('of a sliced file reach everything below its key and its listing, and nothing else', async () => {
    const { body: file } = await prepare({ name: 'a.csv', isSliced: true })
    const { bucket, key, credentials } = file.uploadParams
    const client = await untilEnd(clientWith(credentials))
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: `${key}part0`, Body: 'x' }))
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: `${key}manifest`, Body: '{"entries":[]}' }))
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: key }))
    expect(Contents?.map(object => object.Key)).toEqual([`${key}manifest`, `${key}part0`])
    for (const Prefix of ['', 'exp-15/', parentOf(key)])
      await expect(client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }))).rejects.toEqual(denied)
    const { body: other } = await prepare({ name: 'b.csv' })
    for (const foreign of ['exp-15/7/x', `${parentOf(key)}x`, other.uploadParams.key])
      await expectRefused(client, bucket, foreign)
  })

  it.each([
    ['a file', {}, ''],
    ['a sliced file', { isSliced: true }, 'part0'],
  ])('of %s that another token made are for reading', async (_, settings, suffix) => {
    const { body: token } = await service.call('POST', '/v2/storage/tokens', { canReadAllFileUploads: true })
    const { body: file } = await prepare({ name: 'a.csv', ...settings })
    const { bucket, key } = file.uploadParams
    const Key = `${key}${suffix}`
    await service.s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: 'mine' }))
    const { body: detail } = await service.call('GET', `${files}/${file.id}?federationToken=1`, undefined, {
      'X-StorageApi-Token': token.token,
    })
    const client = await untilEnd(clientWith(detail.credentials))
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
    expect(await Body?.transformToString()).toBe('mine')
    // One union of commands: the client takes each of them.
    for (const command of [
      new PutObjectCommand({ Bucket: bucket, Key, Body: 'theirs' }),
      new CreateMultipartUploadCommand({ Bucket: bucket, Key }),
      new DeleteObjectCommand({ Bucket: bucket, Key }),
    ])
      await expect(client.send(command as PutObjectCommand)).rejects.toEqual(denied)
  })

  it('are renewed by asking for the file, while it is being uploaded', async () => {
    const { body: file } = await prepare({ name: 'a.csv' })
    const { body: detail } = await service.call('GET', `${files}/${file.id}?federationToken=1`)
    const client = clientWith(detail.credentials)
    try {
      await client.send(
        new PutObjectCommand({ Bucket: detail.s3Path.bucket, Key: detail.s3Path.key, Body: 'late' }),
      )
    } finally {
      client.destroy()
    }
    expect(await (await fetch(detail.url)).text()).toBe('late')
  })
})
