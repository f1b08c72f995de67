import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()

const prepare = async (settings: Record<string, unknown> = {}) => {
  const { status, body, text } = await target.call('POST', 'files/prepare', {
    name: 'access.csv',
    federationToken: true,
    ...settings,
  })
  if (status !== 201) throw new Error(text)
  return body
}

const encrypted = { ServerSideEncryption: 'AES256' } as const
const withFile = async (
  settings: Record<string, unknown>,
  use: (s3: S3Client, place: { Bucket: string; Key: string }) => Promise<void>,
) => {
  const { uploadParams, region, id } = await prepare(settings)
  const { bucket: Bucket, key: Key, credentials } = uploadParams
  await target.withS3(credentials, region, s3 => use(s3, { Bucket, Key }))
  return id as number
}
const statusOf = (status: number) => ({ $metadata: { httpStatusCode: status } })

describe('the credentials of one file', () => {
  it('list its own key, which is one object, and nothing else', async () => {
    const id = await withFile({}, async (s3, place) => {
      await s3.send(new PutObjectCommand({ ...place, Body: 'a' }))
    })
    const { body: file } = await target.call('GET', `files/${id}?federationToken=1`)
    const { bucket: Bucket, key } = file.s3Path
    await target.withS3(file.credentials, file.region, async s3 => {
      const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: key }))
      expect(Contents?.map(({ Key }) => Key)).toEqual([key])
      for (const Prefix of [undefined, '', key.slice(0, -1), `${key}x`])
        await expect(s3.send(new ListObjectsV2Command({ Bucket, Prefix }))).rejects.toMatchObject(
          statusOf(403),
        )
    })
  })

  it('find nothing where nothing was uploaded, and are refused elsewhere', async () => {
    await withFile({}, async (s3, place) => {
      await expect(s3.send(new GetObjectCommand(place))).rejects.toMatchObject({ name: 'NoSuchKey' })
      await expect(s3.send(new HeadObjectCommand(place))).rejects.toMatchObject(statusOf(404))
      const other = { ...place, Key: `${place.Key}_part0001` }
      await expect(s3.send(new GetObjectCommand(other))).rejects.toMatchObject(statusOf(403))
      await expect(s3.send(new PutObjectCommand({ ...other, Body: 'x' }))).rejects.toMatchObject(
        statusOf(403),
      )
    })
  })

  it.each([
    [false, ''],
    [true, 'slice0'],
    [true, 'manifest'],
  ])('write an encrypted file (sliced: %s, %j) only with the header', async (isSliced, suffix) => {
    await withFile({ isEncrypted: true, isSliced }, async (s3, { Bucket, Key }) => {
      const place = { Bucket, Key: Key + suffix }
      await expect(s3.send(new PutObjectCommand({ ...place, Body: 'a' }))).rejects.toMatchObject(
        statusOf(403),
      )
      await expect(s3.send(new CreateMultipartUploadCommand(place))).rejects.toMatchObject(statusOf(403))
      await s3.send(new PutObjectCommand({ ...place, Body: 'a', ...encrypted }))

      const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...place, ...encrypted }))
      const part = { ...place, UploadId, PartNumber: 1 }
      const { ETag } = await s3.send(new UploadPartCommand({ ...part, Body: 'whole' }))
      const Parts = [{ PartNumber: 1, ETag }]
      await s3.send(new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts } }))
      const { Body } = await s3.send(new GetObjectCommand(place))
      expect(await Body?.transformToString()).toBe('whole')
    })
  })

  it('write a file that is not encrypted without it', async () => {
    await withFile({ isEncrypted: false, isSliced: true }, async (s3, { Bucket, Key }) => {
      await s3.send(new PutObjectCommand({ Bucket, Key: `${Key}slice0`, Body: 'a' }))
    })
  })
})

describe('a sliced file that is prepared without a federation token', () => {
  it('has credentials, at once and in its detail', async () => {
    const file = await prepare({ isSliced: true, federationToken: false })
    expect(file).toMatchObject({ isSliced: true, provider: 'aws', id: expect.any(Number) })
    expect(file.uploadParams).toEqual({
      key: expect.any(String),
      bucket: expect.any(String),
      acl: 'private',
      credentials: expect.objectContaining({ SessionToken: expect.any(String) }),
    })
    const { body } = await target.call('GET', `files/${file.id}?federationToken=1`)
    await target.withS3(body.credentials, body.region, async s3 => {
      const { bucket: Bucket, key } = body.s3Path
      await s3.send(new PutObjectCommand({ Bucket, Key: `${key}slice0`, Body: '1\n' }))
      const entries = [{ url: `s3://${Bucket}/${key}slice0` }]
      await s3.send(
        new PutObjectCommand({ Bucket, Key: `${key}manifest`, Body: JSON.stringify({ entries }) }),
      )
    })
    expect(Buffer.concat(await target.downloadSlices(file.id)).toString()).toBe('1\n')
  })

  it('is deleted though nothing was uploaded', async () => {
    const file = await prepare({ isSliced: true, federationToken: false })
    expect((await target.call('DELETE', `files/${file.id}`)).status).toBe(204)
    expect(await target.call('GET', `files/${file.id}`)).toMatchObject({
      status: 404,
      body: { code: 'storage.files.notFound' },
    })
  })
})

describe('tags', () => {
  const odd = [
    'a/b',
    '../x',
    'a b',
    'a+b',
    '100%',
    '%2F',
    '50%20',
    'x?y=1',
    '#1',
    'ž:"ů"',
    'a\\b',
    'a&b',
    'a,b',
    '[x]',
  ]

  it.each(odd)('may be %j: added, found, and removed', async tag => {
    const { id } = await prepare({ tags: ['first'] })
    expect((await target.call('POST', `files/${id}/tags`, { tag })).status).toBe(204)
    expect((await target.call('GET', `files/${id}`)).body.tags).toEqual(['first', tag])
    const found = async (query: string) =>
      (await target.call('GET', `files?sinceId=${id - 1}&maxId=${id + 1}&${query}`)).body.map(
        (file: { id: number }) => file.id,
      )
    expect(await found(`tags[0]=${encodeURIComponent(tag)}`)).toEqual([id])
    const quoted = tag.replaceAll(/["\\]/g, '\\$&')
    expect(await found(`q=${encodeURIComponent(`tags:"${quoted}"`)}`)).toEqual([id])
    const removed = await target.call('DELETE', `files/${id}/tags/${encodeURIComponent(tag)}`)
    expect(removed.status).toBe(204)
    expect((await target.call('GET', `files/${id}`)).body.tags).toEqual(['first'])
  })
})

describe('the list of files', () => {
  it('finds a word of a name', async () => {
    const { id } = await prepare({ name: 'oddUsers.csv' })
    const { body } = await target.call(
      'GET',
      `files?q=oddUsers&sinceId=${id - 1}&limit=100&offset=0&showExpired=0`,
    )
    expect(body).toMatchObject([{ id, name: 'oddUsers.csv', region: expect.any(String), maxAgeDays: 15 }])
    expect(body[0]).not.toHaveProperty('credentials')
  })

  it.each([
    ['q=tags[]:sd', 400, 'query.syntax', ''],
    ['q=tags:[a TO b]', 400, 'query.syntax', ''],
    ['q=name:a:b', 400, 'query.syntax', ''],
    ['q=(name:a', 400, 'query.syntax', ''],
    ['q=colour:red', 400, 'query.syntax', ''],
    ['tags=tag', 400, 'storage.validation', 'This value should be of type array'],
    ['isPublic=999987', 400, 'storage.validation', 'is not boolean. Possible values are'],
    ['isPublic=0', 501, 'notImplemented', 'FileListFilter is not yet implemented'],
  ])('refuses %s', async (query, status, code, text) => {
    const { status: actual, body } = await target.call('GET', `files?${query}`)
    expect([actual, body.code]).toEqual([status, code])
    expect(body.error).toContain(text)
  })
})
