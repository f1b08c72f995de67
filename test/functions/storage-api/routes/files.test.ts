import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StorageService, startStorageService } from '../../../support/storage-service.ts'

let service: StorageService
beforeAll(async () => {
  service = await startStorageService()
})
afterAll(() => service.close())

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

describe('POST files/prepare', () => {
  it('answers with the file and how to upload it', async () => {
    const { status, body } = await prepare({ name: 'Orders 2026.csv', sizeBytes: 5, tags: ['a', 'b', 'a'] })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: expect.any(Number),
      name: 'Orders 2026.csv',
      provider: 'aws',
      fileType: 'csv',
      region: 'us-east-1',
      sizeBytes: 5,
      tags: ['a', 'b'],
      maxAgeDays: 15,
      isPublic: false,
      isSliced: false,
      isEncrypted: false,
      runId: null,
      runIds: [],
      creatorToken: { id: 42, description: 'Master token' },
      uploadParams: {
        bucket: 'files',
        acl: 'private',
        key: expect.stringMatching(
          new RegExp(`^exp-15/7/files/\\d{4}/\\d\\d/\\d\\d/${body.id}\\.Orders_2026\\.csv$`),
        ),
        credentials: {
          AccessKeyId: expect.any(String),
          SecretAccessKey: expect.any(String),
          SessionToken: expect.any(String),
          Expiration: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
        },
      },
    })
    expect(body).not.toHaveProperty('credentials')
    expect(body).not.toHaveProperty('s3Path')
  })

  it('names the encryption when it is asked for: one client reads it unseen', async () => {
    expect((await prepare({ name: 'a', isEncrypted: true })).body.uploadParams).toMatchObject({
      'x-amz-server-side-encryption': 'AES256',
    })
  })

  it('keeps a permanent file for ever', async () => {
    expect((await prepare({ name: 'a', isPermanent: 1 })).body.maxAgeDays).toBeNull()
  })

  it('gives ids that grow', async () => {
    const ids = []
    for (let index = 0; index < 5; index++) ids.push((await prepare({ name: 'a' })).body.id)
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect(new Set(ids).size).toBe(5)
  })

  it('gives an address for one plain PUT to a client without a federation token', async () => {
    const { body } = await service.call('POST', `${files}/prepare`, { name: 'plain.csv' })
    expect(body.uploadParams).not.toHaveProperty('credentials')
    expect((await fetch(body.uploadParams.url, { method: 'PUT', body: 'a,b\n' })).status).toBe(200)
    expect(await (await fetch(body.url)).text()).toBe('a,b\n')
  })

  it.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a size that is none', { name: 'a', sizeBytes: -1 }],
    ['tags that are no list', { name: 'a', tags: 'x' }],
    ['a sliced file without credentials', { name: 'a', isSliced: 1, federationToken: 0 }],
    ['more tags than a file keeps', { name: 'a', tags: Array.from({ length: 501 }, String) }],
  ])('refuses %s', async (_what, body) => {
    const reply = await prepare(body)
    expect([reply.status, reply.body.code]).toEqual([400, 'storage.validation'])
  })

  it('makes one file of many requests with one idempotency key', async () => {
    const headers = { 'Idempotency-Key': 'upload 1' }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => prepare({ name: 'once.csv' }, headers)),
    )
    expect(new Set(replies.map(reply => reply.body.id)).size).toBe(1)
    expect((await service.call('GET', `${files}?q=name:once.csv`)).body).toHaveLength(1)
  })

  it('refuses an idempotency key that came with another file', async () => {
    const headers = { 'Idempotency-Key': 'upload 2' }
    await prepare({ name: 'a.csv' }, headers)
    const { status, body } = await prepare({ name: 'b.csv' }, headers)
    expect([status, body.code]).toEqual([422, 'storage.idempotencyKeyReused'])
  })
})

describe('the credentials of a file', () => {
  it('put and get its object, in one request or by parts, and no other', async () => {
    const { body: file } = await prepare({ name: 'a.csv' })
    const { body: other } = await prepare({ name: 'b.csv' })
    const { bucket, key, credentials } = file.uploadParams
    const client = clientWith(credentials)
    try {
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
      for (const foreign of [`${key}x`, other.uploadParams.key, 'exp-15/7/files/secret'])
        await expect(
          client.send(new PutObjectCommand({ Bucket: bucket, Key: foreign, Body: 'x' })),
        ).rejects.toEqual(denied)
      await expect(
        client.send(new GetObjectCommand({ Bucket: bucket, Key: other.uploadParams.key })),
      ).rejects.toEqual(denied)
      await expect(
        client.send(new PutObjectCommand({ Bucket: 'tables', Key: key, Body: 'x' })),
      ).rejects.toEqual(denied)
      await expect(client.send(new ListObjectsV2Command({ Bucket: bucket }))).rejects.toEqual(denied)
    } finally {
      client.destroy()
    }
  })

  it('of a sliced file reach everything below its key and its listing, and nothing else', async () => {
    const { body: file } = await prepare({ name: 'a.csv', isSliced: true })
    const { bucket, key, credentials } = file.uploadParams
    const client = clientWith(credentials)
    try {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: `${key}part0`, Body: 'x' }))
      await client.send(
        new PutObjectCommand({ Bucket: bucket, Key: `${key}manifest`, Body: '{"entries":[]}' }),
      )
      const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: key }))
      expect(Contents?.map(object => object.Key)).toEqual([`${key}manifest`, `${key}part0`])
      await expect(
        client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: 'exp-15/' })),
      ).rejects.toEqual(denied)
      await expect(
        client.send(new PutObjectCommand({ Bucket: bucket, Key: 'exp-15/7/x', Body: 'x' })),
      ).rejects.toEqual(denied)
    } finally {
      client.destroy()
    }
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

describe('GET files/{id}', () => {
  it.each(['1', 'true', 'True'])('gives place and credentials with federationToken=%s', async value => {
    const id = await service.upload('a\n')
    const { body } = await service.call('GET', `${files}/${id}?federationToken=${value}`)
    expect(body).toMatchObject({
      id,
      s3Path: { bucket: 'files' },
      credentials: { AccessKeyId: expect.any(String) },
    })
    expect(body).not.toHaveProperty('uploadParams')
  })

  it.each(['', '?federationToken=0', '?federationToken='])('gives neither with %j', async query => {
    const id = await service.upload('a\n')
    const { body } = await service.call('GET', `${files}/${id}${query}`)
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['s3Path']))
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['credentials']))
  })

  it('gives an address that downloads the file without a token', async () => {
    const id = await service.upload('a,b\n', { name: 'räksmörgås.csv' })
    const { body } = await service.call('GET', `${files}/${id}`)
    const response = await fetch(body.url)
    expect(await response.text()).toBe('a,b\n')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="raksmorgas.csv"')
  })

  it('gives the address of the manifest of a sliced file', async () => {
    const id = await service.uploadSlices(['1\n', '2\n'])
    const { body } = await service.call('GET', `${files}/${id}?federationToken=1`)
    const { entries } = JSON.parse(await (await fetch(body.url)).text())
    expect(entries.map((entry: { url: string }) => entry.url)).toEqual([
      `s3://files/${body.s3Path.key}part0`,
      `s3://files/${body.s3Path.key}part1`,
    ])
  })

  it.each(['1', 'x', '9'.repeat(30), '1.5', '-1'])('answers 404 for %s', async id => {
    const { status, body } = await service.call('GET', `${files}/${id}`)
    expect([status, body.code, body.error]).toEqual([404, 'storage.files.notFound', 'File not found'])
  })
})

describe('DELETE files/{id}', () => {
  it('removes the object with the record', async () => {
    const id = await service.upload('a\n')
    const { url } = (await service.call('GET', `${files}/${id}`)).body
    expect((await service.call('DELETE', `${files}/${id}`)).status).toBe(204)
    expect((await service.call('GET', `${files}/${id}`)).body.code).toBe('storage.files.notFound')
    expect((await fetch(url)).status).toBe(404)
  })

  it('removes all slices and the manifest', async () => {
    const id = await service.uploadSlices(['1\n', '2\n', '3\n'])
    const { key } = (await service.call('GET', `${files}/${id}?federationToken=1`)).body.s3Path
    await service.call('DELETE', `${files}/${id}`)
    const { KeyCount } = await service.s3.send(new ListObjectsV2Command({ Bucket: 'files', Prefix: key }))
    expect(KeyCount).toBe(0)
  })

  it('does it by a job with async', async () => {
    const id = await service.upload('a\n')
    const { status, body } = await service.call('DELETE', `${files}/${id}?async=1`)
    expect([status, body.operationName, body.status]).toEqual([202, 'fileDelete', 'success'])
    expect((await service.call('GET', `${files}/${id}`)).status).toBe(404)
  })
})

describe('the tags of a file', () => {
  const tagsOf = async (id: number) => (await service.call('GET', `${files}/${id}`)).body.tags

  it('are added once and removed', async () => {
    const id = await service.upload('a\n')
    for (const tag of ['x', 'y', 'x'])
      expect((await service.call('POST', `${files}/${id}/tags`, { tag })).status).toBe(204)
    expect(await tagsOf(id)).toEqual(['x', 'y'])
    expect((await service.call('DELETE', `${files}/${id}/tags/x`)).status).toBe(204)
    expect(await tagsOf(id)).toEqual(['y'])
  })

  it.each(['a/b', 'a b', 'a%b', 'ä', '../x', 'a?b#c'])('may hold %j', async tag => {
    const id = await service.upload('a\n')
    await service.call('POST', `${files}/${id}/tags`, { tag })
    expect(await tagsOf(id)).toEqual([tag])
    await service.call('DELETE', `${files}/${id}/tags/${encodeURIComponent(tag)}`)
    expect(await tagsOf(id)).toEqual([])
  })

  it('are removed by a path that a gateway has decoded', async () => {
    const id = await service.upload('a\n')
    await service.call('POST', `${files}/${id}/tags`, { tag: 'a/b' })
    await service.call('DELETE', `${files}/${id}/tags/a/b`)
    expect(await tagsOf(id)).toEqual([])
  })

  it('are all kept when many are added at once', async () => {
    const id = await service.upload('a\n')
    const tags = ['a', 'b', 'c', 'd', 'e']
    await Promise.all(tags.map(tag => service.call('POST', `${files}/${id}/tags`, { tag })))
    expect((await tagsOf(id)).toSorted()).toEqual(tags)
  })

  it('of a file that is not there are 404', async () => {
    expect((await service.call('POST', `${files}/1/tags`, { tag: 'x' })).status).toBe(404)
    expect((await service.call('DELETE', `${files}/1/tags/x`)).status).toBe(404)
  })
})

describe('GET files', () => {
  let listing: StorageService
  const ids: number[] = []
  const listed = async (query: string) => {
    const { body } = await listing.call('GET', `${files}?${query}`)
    return body.map((file: { id: number }) => ids.indexOf(file.id))
  }

  beforeAll(async () => {
    const times = ['2026-05-30', '2026-05-31', '2026-06-30', '2026-07-16'].map(
      day => new Date(`${day}T12:00:00Z`),
    )
    let current = times[0] ?? new Date(0)
    listing = await startStorageService({ now: () => current })
    for (const [index, time] of times.entries()) {
      current = time
      const { body } = await listing.call(
        'POST',
        `${files}/prepare`,
        {
          name: `file-${index}.csv`,
          tags: index % 2 === 0 ? ['even', 'all'] : ['odd', 'all'],
          federationToken: 1,
          isPermanent: true,
        },
        { 'X-KBC-RunId': `run.${index}` },
      )
      ids.push(body.id)
    }
  })
  afterAll(() => listing.close())

  it.each([
    ['newest first, over months', '', [3, 2, 1, 0]],
    ['no more than the limit', 'limit=2', [3, 2]],
    ['the next page', 'limit=2&offset=2', [1, 0]],
    ['a page past the end', 'offset=10', []],
    ['files with one of the tags', 'tags[]=odd&tags[]=nothing', [3, 1]],
    ['files with one of two tags', 'tags[]=odd&tags[]=even', [3, 2, 1, 0]],
    ['what a search finds', 'q=tags:"even" AND name:file-2*', [2]],
    ['files of a run', 'runId=run.1', [1]],
  ])('lists %s', async (_what, query, expected) => {
    expect(await listed(query)).toEqual(expected)
  })

  it('lists files after and before an id', async () => {
    expect(await listed(`sinceId=${ids[1]}`)).toEqual([3, 2])
    expect(await listed(`maxId=${ids[2]}`)).toEqual([1, 0])
    expect(await listed(`sinceId=${ids[0]}&maxId=${ids[3]}`)).toEqual([2, 1])
    expect(await listed(`sinceId=${ids[3]}`)).toEqual([])
    expect(await listed('sinceId=0&maxId=1')).toEqual([])
  })

  it.each([
    ['tags=odd', 'storage.validation'],
    ['limit=0', 'storage.validation'],
    ['limit=x', 'storage.validation'],
    ['offset=-1', 'storage.validation'],
    ['q=tags:', 'query.syntax'],
  ])('refuses %s as %s', async (query, code) => {
    const { status, body } = await listing.call('GET', `${files}?${query}`)
    expect([status, body.code]).toEqual([400, code])
  })

  it('hides files whose time is over, unless asked for them', async () => {
    let current = new Date('2026-07-01T00:00:00Z')
    const aging = await startStorageService({ now: () => current })
    try {
      await aging.call('POST', `${files}/prepare`, { name: 'old.csv', federationToken: 1 })
      current = new Date('2026-07-20T00:00:00Z')
      expect((await aging.call('GET', files)).body).toEqual([])
      expect((await aging.call('GET', `${files}?showExpired=1`)).body).toHaveLength(1)
    } finally {
      await aging.close()
    }
  })
})

describe('POST upload-file', () => {
  const upload = (form: FormData) =>
    service.fetchReply(
      new Request('http://storage.test/upload-file', {
        method: 'POST',
        headers: { 'X-StorageApi-Token': service.token },
        body: form,
      }),
    )

  it('stores the file and answers with it', async () => {
    const form = new FormData()
    form.set('data', new Blob(['a,b\n1,2\n']), 'upload.csv')
    const { status, body } = await upload(form)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'upload.csv',
      sizeBytes: 8,
      isEncrypted: true,
      creatorToken: { id: 42, description: 'file upload' },
    })
    expect(body).not.toHaveProperty('uploadParams')
    expect(await (await fetch(body.url)).text()).toBe('a,b\n1,2\n')
  })

  it('takes the name of the form, wherever it stands', async () => {
    const form = new FormData()
    form.set('data', new Blob(['x']), 'upload.csv')
    form.set('name', 'given.csv')
    expect((await upload(form)).body.name).toBe('given.csv')
  })

  it('stores many megabytes byte by byte', async () => {
    const content = Buffer.alloc(40 * 1024 * 1024, 'millrace,')
    const form = new FormData()
    form.set('data', new Blob([content]), 'large.csv')
    const { body } = await upload(form)
    expect(body.sizeBytes).toBe(content.length)
    const stored = Buffer.from(await (await fetch(body.url)).arrayBuffer())
    expect(stored.equals(content)).toBe(true)
  })

  it('refuses a form without the file', async () => {
    const form = new FormData()
    form.set('name', 'x')
    expect((await upload(form)).status).toBe(400)
  })

  it('keeps nothing of a body that breaks off', async () => {
    const before = (await service.call('GET', `${files}?limit=1`)).body[0]?.id
    const body = '--b\r\nContent-Disposition: form-data; name="data"; filename="half.csv"\r\n\r\nhalf of it'
    const { status } = await service.fetchReply(
      new Request('http://storage.test/upload-file', {
        method: 'POST',
        headers: { 'X-StorageApi-Token': service.token, 'content-type': 'multipart/form-data; boundary=b' },
        body,
      }),
    )
    expect(status).toBe(400)
    expect((await service.call('GET', `${files}?limit=1`)).body[0]?.id).toBe(before)
    const { Contents = [] } = await service.s3.send(new ListObjectsV2Command({ Bucket: 'files' }))
    expect(Contents.filter(object => object.Key?.includes('half.csv'))).toEqual([])
  })

  it('needs the token', async () => {
    const reply = await service.fetchReply(
      new Request('http://storage.test/upload-file', { method: 'POST', body: new FormData() }),
    )
    expect(reply.status).toBe(401)
  })
})
