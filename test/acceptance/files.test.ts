import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()

const tag = `acceptance-${Date.now()}`

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
})
