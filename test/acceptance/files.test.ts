import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

let target: Awaited<ReturnType<typeof connectTarget>>
beforeAll(async () => {
  target = await connectTarget()
})
afterAll(() => target?.close())

const tag = `acceptance-${Date.now()}`
const denied = expect.objectContaining({ name: 'AccessDenied' })

describe('index and token', () => {
  it('shows the service to everybody and the token to its owner', async () => {
    const index = await target.call('GET', '', undefined, { 'x-storageapi-token': 'some-token' })
    expect([index.status, index.body.api, index.body.version]).toEqual([200, 'storage', 'v2'])
    expect(index.headers.get('content-type')).toBe('application/json')
    const token = await target.call('GET', 'tokens/verify')
    expect(token.body).toMatchObject({ id: expect.any(String), owner: { id: expect.any(Number) } })
  })

  it.each([
    ['no token', ''],
    ['a wrong token', '1-1-wrong'],
  ])('refuses %s', async (_, token) => {
    const { status, body } = await target.call('GET', 'buckets', undefined, { 'x-storageapi-token': token })
    expect([status, body.status, typeof body.exceptionId]).toEqual([401, 'error', 'string'])
  })
})

describe('a file', () => {
  it('is uploaded with its credentials and downloaded by its address', async () => {
    const id = await target.upload('a,b\n1,2\n', { name: 'größe.csv', sizeBytes: 8, tags: [tag, 'x/y'] })
    const { body: file } = await target.call('GET', `files/${id}`)
    expect(file).toMatchObject({
      id,
      name: 'größe.csv',
      provider: 'aws',
      fileType: 'csv',
      isSliced: false,
      isEncrypted: true,
      isPublic: false,
      maxAgeDays: 15,
      sizeBytes: 8,
      tags: [tag, 'x/y'],
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}$/),
      creatorToken: { id: expect.any(Number), description: expect.any(String) },
    })
    expect(file).not.toHaveProperty('credentials')
    expect(file).not.toHaveProperty('s3Path')
    const download = await fetch(file.url)
    expect(download.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(await download.text()).toBe('a,b\n1,2\n')
  })

  it('is tagged, found and deleted', async () => {
    const first = await target.upload('1', { tags: [tag, `${tag}-only`] })
    const second = await target.upload('2', { name: `${tag}.txt` })
    const listed = async (query: string) =>
      (await target.call('GET', `files?${query}`)).body.map((file: { id: number }) => file.id)
    expect((await target.call('POST', `files/${second}/tags`, { tag: 'a/b' })).status).toBe(204)
    expect(await listed(`tags[]=${tag}-only`)).toEqual([first])
    expect(await listed(`q=${encodeURIComponent(`tags:"a/b" AND name:${tag}*`)}`)).toEqual([second])
    expect(await listed(`q=${encodeURIComponent(`id:${first} OR id:${second}`)}`)).toEqual([second, first])
    expect(await listed(`q=${encodeURIComponent(`tags:"${tag}-only" AND NOT id:${first}`)}`)).toEqual([])
    expect(await listed(`sinceId=${first}&maxId=${second + 1}&limit=1`)).toEqual([second])
    expect((await target.call('GET', 'files?q=tags:(')).body.code).toBe('query.syntax')
    const tagPath = `files/${second}/tags/${encodeURIComponent('a/b')}`
    expect((await target.call('DELETE', tagPath)).status).toBe(204)
    expect((await target.call('GET', `files/${second}`)).body.tags).toEqual([])

    const { body } = await target.call('GET', `files/${first}`)
    const deleted = await target.call('DELETE', `files/${first}`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await target.call('GET', `files/${first}`)).body).toMatchObject({
      code: 'storage.files.notFound',
      error: 'File not found',
    })
    expect((await fetch(body.url)).status).toBe(404)
    expect((await target.job('DELETE', `files/${second}?async=1`)).status).toBe('success')
  })

  it('has credentials that give access to nothing else', async () => {
    const other = (await target.call('POST', 'files/prepare', { name: 'b', federationToken: 1 })).body
    for (const isSliced of [false, true]) {
      const { body: file } = await target.call('POST', 'files/prepare', {
        name: 'a',
        federationToken: 1,
        isSliced,
      })
      const { bucket: Bucket, key, credentials } = file.uploadParams
      const parent = key.slice(0, key.lastIndexOf('/') + 1)
      await target.withS3(credentials, file.region, async s3 => {
        await s3.send(new PutObjectCommand({ Bucket, Key: isSliced ? `${key}part` : key, Body: 'x' }))
        for (const Key of [other.uploadParams.key, `${parent}x`, ...(isSliced ? [] : [`${key}x`])]) {
          await expect(s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))).rejects.toEqual(denied)
          await expect(s3.send(new GetObjectCommand({ Bucket, Key }))).rejects.toEqual(denied)
        }
        for (const Prefix of ['', parent])
          await expect(s3.send(new ListObjectsV2Command({ Bucket, Prefix }))).rejects.toEqual(denied)
      })
    }
  })

  it('can be uploaded through the importer', async () => {
    const body = new FormData()
    body.append('data', new Blob(['a\n1\n']), 'up.csv')
    const { status, body: file } = await target.send(`${target.importUrl}/upload-file`, {
      method: 'POST',
      body,
    })
    expect(status).toBeLessThan(300)
    expect(file).toMatchObject({ name: 'up.csv', sizeBytes: 4 })
    expect(file).not.toHaveProperty('uploadParams')
    expect(await (await fetch(file.url)).text()).toBe('a\n1\n')
  })
})
