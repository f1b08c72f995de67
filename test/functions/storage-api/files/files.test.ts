import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()

const files = '/v2/storage/files'

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
