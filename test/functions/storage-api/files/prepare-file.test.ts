import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()

const files = '/v2/storage/files'
const prepare = (body: Record<string, unknown>, headers?: Record<string, string>) =>
  service.call('POST', `${files}/prepare`, { federationToken: 1, ...body }, headers)

describe('POST files/prepare', () => {
  it('keeps a size that is told, which binds nobody: neither other files nor the bytes that come', async () => {
    const told = 100 * 1024 ** 4
    const { body: token } = await service.call('POST', '/v2/storage/tokens', {})
    const one = { 'X-StorageApi-Token': token.token }
    expect((await prepare({ name: 'large', sizeBytes: told }, one)).body.sizeBytes).toBe(told)
    const fileId = await service.upload('id\n1\n')
    await service.createBucket('small')
    const { body: job } = await service.call('POST', '/v2/storage/buckets/in.c-small/tables-async', {
      name: 't',
      dataFileId: fileId,
    })
    expect(job).toMatchObject({ status: 'success', results: { rowsCount: 1 } })
  })

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
