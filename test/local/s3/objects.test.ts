import { createHash, randomBytes } from 'node:crypto'
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { dataFiles, startTestS3 } from '../../support/embedded-s3.ts'
import { eventually } from '../../support/eventually.ts'
import { untilEnd } from '../../support/until-end.ts'
import { codeOf, send, sendSigned, sign } from './raw-client.ts'

const s3 = await untilEnd(startTestS3())
await s3.s3.createBucket('box', { acceptsAcls: true })

const put = (input: Partial<PutObjectCommandInput>) =>
  s3.client.send(new PutObjectCommand({ Bucket: 'box', Key: 'key', Body: 'body', ...input }))
const read = async (Key: string): Promise<string | undefined> => {
  const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'box', Key }))
  return Body?.transformToString()
}

describe('an object', () => {
  it('keeps the metadata of its headers', async () => {
    const expires = new Date('2030-01-02T03:04:05Z')
    const described = {
      ContentType: 'text/csv; charset=utf-8',
      ContentDisposition: 'attachment; filename="a b.csv"',
      ContentEncoding: 'deflate, gzip',
      ContentLanguage: 'de',
      CacheControl: 'no-store',
      ServerSideEncryption: 'AES256',
      Metadata: { 'primary-key': 'id,name', incremental: '1' },
    } as const
    await put({ Key: 'described', Expires: expires, ACL: 'private', ...described })
    const head = await s3.client.send(new HeadObjectCommand({ Bucket: 'box', Key: 'described' }))
    expect(head).toMatchObject({ ...described, ContentLength: 4, ETag: `"${md5('body')}"` })
    expect(head.ExpiresString).toBe(expires.toUTCString())
    const got = await s3.client.send(new GetObjectCommand({ Bucket: 'box', Key: 'described' }))
    expect(got).toMatchObject(described)
  })

  it('has only a default type without headers', async () => {
    await put({ Key: 'plain' })
    const head = await s3.client.send(new HeadObjectCommand({ Bucket: 'box', Key: 'plain' }))
    expect(head.ContentType).toBe('application/octet-stream')
    expect(head.StorageClass).toBeUndefined()
    expect(head.Metadata).toEqual({})
  })

  it('returns metadata byte by byte, also outside of ASCII', async () => {
    const bytes = Buffer.from('größe 日本').toString('latin1')
    const signed = sign(s3.s3.endpoint, {
      method: 'PUT',
      path: '/box/metadata',
      headers: { 'x-amz-meta-name': 'größe 日本' },
    })
    const headers = { ...signed.request.headers, 'x-amz-meta-name': bytes }
    expect((await send(s3.s3.endpoint, { ...signed.request, headers })).status).toBe(200)
    const head = await sendSigned(s3.s3.endpoint, { method: 'HEAD', path: '/box/metadata' })
    expect(head.headers['x-amz-meta-name']).toBe(bytes)
  })

  it('may be empty', async () => {
    await put({ Key: 'empty', Body: '' })
    expect(await read('empty')).toBe('')
    await put({ Key: 'empty', Body: 'no more' })
    await put({ Key: 'empty', Body: '' })
    expect(await read('empty')).toBe('')
  })

  it('is replaced whole by the next one', async () => {
    await put({ Key: 'replaced', Body: 'the first and longer one', Metadata: { a: '1' } })
    await put({ Key: 'replaced', Body: 'second' })
    const got = await s3.client.send(new GetObjectCommand({ Bucket: 'box', Key: 'replaced' }))
    expect([await got.Body?.transformToString(), got.Metadata]).toEqual(['second', {}])
  })

  it('is read to its end even when it is replaced meanwhile', async () => {
    const first = Buffer.alloc(20_000_000, 'first ')
    await put({ Key: 'race', Body: first })
    const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'box', Key: 'race' }))
    await put({ Key: 'race', Body: 'second' })
    const bytes = await Body?.transformToByteArray()
    expect(Buffer.compare(Buffer.from(bytes ?? []), first)).toBe(0)
    expect(await read('race')).toBe('second')
  })

  it('is removed by a deletion, and a second one is no error', async () => {
    await put({ Key: 'deleted' })
    for (let i = 0; i < 2; i++)
      await s3.client.send(new DeleteObjectCommand({ Bucket: 'box', Key: 'deleted' }))
    await expect(read('deleted')).rejects.toMatchObject({ name: 'NoSuchKey' })
  })
})

describe('keys', () => {
  it('are never paths', async () => {
    const keys = [
      'nul\u0000nul',
      'x/../../evil',
      '../../../../../../tmp/evil',
      '..',
      '.',
      '/',
      '//',
      'a',
      'a/',
      'a/b',
      'A',
      'line\r\nbreak',
      '\u0001\u001f\u007f',
      'é',
      'e\u0301',
      'ü'.repeat(512),
      'C:\\windows',
      '__proto__',
      'constructor',
      '%2e%2e%2f',
    ]
    await s3.s3.createBucket('keys')
    for (const Key of keys)
      await s3.client.send(new PutObjectCommand({ Bucket: 'keys', Key, Body: `is ${Key}` }))
    for (const Key of keys) {
      const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'keys', Key }))
      expect(await Body?.transformToString()).toBe(`is ${Key}`)
    }
    const { KeyCount } = await s3.client.send(new ListObjectsV2Command({ Bucket: 'keys' }))
    expect(KeyCount).toBe(keys.length)
    const [nul = '', ...others] = keys // No XML can hold the first.
    await s3.client.send(new DeleteObjectCommand({ Bucket: 'keys', Key: nul }))
    const { Deleted } = await s3.client.send(
      new DeleteObjectsCommand({ Bucket: 'keys', Delete: { Objects: others.map(Key => ({ Key })) } }),
    )
    expect(Deleted?.map(({ Key }) => Key)).toEqual(expect.arrayContaining(['a', 'a/', 'A', '__proto__']))
    const after = await s3.client.send(new ListObjectsV2Command({ Bucket: 'keys' }))
    // A raw carriage return in XML becomes a line feed; the client wrote a reference.
    expect(after.Contents ?? []).toEqual([])
  })

  it('of 1,025 bytes are refused', async () => {
    await expect(put({ Key: `${'ü'.repeat(512)}x` })).rejects.toMatchObject({ name: 'KeyTooLongError' })
  })

  it('whose escapes are not UTF-8 are refused', async () => {
    expect(codeOf(await send(s3.s3.endpoint, { method: 'GET', path: '/box/%ff' }))).toBe('InvalidURI')
  })
})

describe('DeleteObjects', () => {
  it('reports each key, or in quiet mode only errors', async () => {
    await put({ Key: 'd1' })
    const objects = [{ Key: 'd1' }, { Key: 'never there' }]
    const answer = await s3.client.send(
      new DeleteObjectsCommand({ Bucket: 'box', Delete: { Objects: objects } }),
    )
    expect(answer.Deleted).toEqual(objects)
    const quiet = await s3.client.send(
      new DeleteObjectsCommand({ Bucket: 'box', Delete: { Objects: objects, Quiet: true } }),
    )
    expect(quiet.Deleted).toBeUndefined()
  })

  it('reads a reference to a control character as part of the key', async () => {
    await put({ Key: 'ctl' })
    await put({ Key: 'ctl\u0001' })
    const body = '<Delete><Object><Key>ctl&#x1;</Key></Object></Delete>'
    const reply = await sendSigned(s3.s3.endpoint, { method: 'POST', path: '/box?delete', body })
    expect(reply.status).toBe(200)
    expect(await read('ctl')).toBe('body')
    await expect(read('ctl\u0001')).rejects.toMatchObject({ name: 'NoSuchKey' })
  })

  it.each([
    ['no XML', 'hello'],
    ['another document', '<Other/>'],
    ['no object', '<Delete></Delete>'],
    ['a document type', '<!DOCTYPE d [<!ENTITY a "k">]><Delete><Object><Key>&a;</Key></Object></Delete>'],
    ['an unknown entity', '<Delete><Object><Key>&toString;</Key></Object></Delete>'],
    ['tags that do not match', '<Delete><Object><Key>k</Object></Key></Delete>'],
    ['1,001 keys', `<Delete>${'<Object><Key>k</Key></Object>'.repeat(1001)}</Delete>`],
    ['an element it does not know', '<Delete><Object><Key>k</Key><Size>1</Size></Object></Delete>'],
  ])('refuses a body with %s', async (_, body) => {
    expect(codeOf(await sendSigned(s3.s3.endpoint, { method: 'POST', path: '/box?delete', body }))).toBe(
      'MalformedXML',
    )
  })
})

describe('buckets', () => {
  it('are created, listed, found and removed', async () => {
    await s3.client.send(new CreateBucketCommand({ Bucket: 'made.here' }))
    const { Buckets } = await s3.client.send(new ListBucketsCommand({}))
    expect(Buckets?.map(({ Name }) => Name)).toContain('made.here')
    await s3.client.send(new HeadBucketCommand({ Bucket: 'made.here' }))
    const location = await s3.client.send(new GetBucketLocationCommand({ Bucket: 'made.here' }))
    expect(location.LocationConstraint ?? '').toBe('')
    await s3.client.send(new PutObjectCommand({ Bucket: 'made.here', Key: 'k', Body: 'b' }))
    const remove = () => s3.client.send(new DeleteBucketCommand({ Bucket: 'made.here' }))
    await expect(remove()).rejects.toMatchObject({ name: 'BucketNotEmpty' })
    await s3.client.send(new DeleteObjectCommand({ Bucket: 'made.here', Key: 'k' }))
    await remove()
    await expect(s3.client.send(new HeadBucketCommand({ Bucket: 'made.here' }))).rejects.toMatchObject({
      $metadata: { httpStatusCode: 404 },
    })
  })

  it('are created once', async () => {
    await put({ Key: 'kept' })
    await s3.client.send(new CreateBucketCommand({ Bucket: 'box' }))
    expect(await read('kept')).toBe('body')
    const elsewhere = { LocationConstraint: 'eu-central-1' } as const
    await expect(
      s3.client.send(new CreateBucketCommand({ Bucket: 'box', CreateBucketConfiguration: elsewhere })),
    ).rejects.toMatchObject({ name: 'InvalidLocationConstraint' })
  })

  it('go with the uploads that are open in them', async () => {
    await s3.s3.createBucket('open')
    const upload = { Bucket: 'open', Key: 'key' }
    const { UploadId } = await s3.client.send(new CreateMultipartUploadCommand(upload))
    await s3.client.send(
      new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body: randomBytes(200_000) }),
    )
    const before = await dataFiles(s3.dataDir)
    await s3.client.send(new DeleteBucketCommand({ Bucket: 'open' }))
    await eventually(async () => expect(await dataFiles(s3.dataDir)).toHaveLength(before.length - 1))
    await s3.s3.createBucket('open')
    const { Uploads = [] } = await s3.client.send(new ListMultipartUploadsCommand({ Bucket: 'open' }))
    expect(Uploads).toEqual([])
  })

  it.each(['ab', 'Upper', 'under_score', '-dash', 'dots..dots', '10.0.0.1', 'x'.repeat(64)])(
    'are not called %s',
    async name => {
      const reply = await sendSigned(s3.s3.endpoint, { method: 'PUT', path: `/${name}` })
      expect(codeOf(reply)).toBe('InvalidBucketName')
    },
  )

  it('are named in the error when they are missing', async () => {
    for (const request of [
      { method: 'PUT', path: '/missing/key', body: 'x' },
      { method: 'GET', path: '/missing/key' },
      { method: 'GET', path: '/missing?list-type=2' },
      { method: 'POST', path: '/missing/key?uploads' },
      { method: 'DELETE', path: '/missing/key' },
      { method: 'DELETE', path: '/missing' },
    ])
      expect(codeOf(await sendSigned(s3.s3.endpoint, request))).toBe('NoSuchBucket')
  })
})

describe('addressing by host', () => {
  it.each(['box.localhost', 'box.s3.us-east-1.amazonaws.com', 'box.s3.amazonaws.com', 'BOX.localhost:9000'])(
    'finds the bucket in %s',
    async host => {
      await put({ Key: 'by/host' })
      const request = { method: 'GET', path: '/by/host', headers: { host } }
      expect((await sendSigned(s3.s3.endpoint, request)).body).toBe('body')
    },
  )

  it.each(['s3.us-east-1.amazonaws.com', 'localhost:9000', 'some.machine.lan'])(
    'leaves the path alone for %s',
    async host => {
      await put({ Key: 'by/path' })
      const request = { method: 'GET', path: '/box/by/path', headers: { host } }
      expect((await sendSigned(s3.s3.endpoint, request)).body).toBe('body')
    },
  )
})

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
