import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()

const files = '/v2/storage/files'

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

  it('takes the name from the form, in any order of its fields', async () => {
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

  it('stores nothing of a body that breaks off', async () => {
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
