import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()

const buckets = '/v2/storage/buckets'

describe('POST buckets', () => {
  it('answers 201 with the bucket', async () => {
    const { status, body } = await service.call('POST', buckets, {
      name: 'main',
      stage: 'out',
      description: 'Orders',
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: 'out.c-main',
      uri: 'http://storage.test/v2/storage/buckets/out.c-main',
      name: 'c-main',
      displayName: 'main',
      stage: 'out',
      description: 'Orders',
      isReadOnly: false,
      sharing: null,
      rowsCount: 0,
      dataSizeBytes: 0,
      metadata: [],
    })
  })

  it('does not double the prefix of a name, and takes "in" for the stage', async () => {
    const { body } = await service.call('POST', buckets, 'name=c-prefixed', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(body).toMatchObject({ id: 'in.c-prefixed', displayName: 'prefixed' })
  })

  it('makes one bucket of twenty requests at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => service.call('POST', buckets, { name: 'race' })),
    )
    const count = (status: number) => replies.filter(reply => reply.status === status).length
    expect([count(201), count(400)]).toEqual([1, 19])
  })

  it.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a dot in the name', { name: 'a.b' }],
    ['a space in the name', { name: 'a b' }],
    ['a name of nothing but the prefix', { name: 'c-' }],
    ['a name too long', { name: 'a'.repeat(200) }],
    ['another stage', { name: 'a', stage: 'sys' }],
  ])('refuses %s', async (_what, body) => {
    const reply = await service.call('POST', buckets, body)
    expect(reply.status).toBe(400)
    expect(reply.body.code).toBe('storage.buckets.validation')
  })
})

describe('GET buckets', () => {
  it('lists them by id, with the address of their tables', async () => {
    await service.createBucket('list-b')
    await service.createBucket('list-a')
    const { body } = await service.call('GET', `${buckets}?include=attributes,metadata`)
    const listed = body.filter((bucket: { id: string }) => bucket.id.startsWith('in.c-list-'))
    expect(listed).toMatchObject([
      {
        id: 'in.c-list-a',
        tables: 'http://storage.test/v2/storage/buckets/in.c-list-a/tables',
        metadata: [],
        attributes: [],
      },
      { id: 'in.c-list-b' },
    ])
  })

  it.each(['in.c-nothing', 'in.x.y', 'nothing', `in.c-${'a'.repeat(3_000)}`])(
    'answers 404 for %s',
    async id => {
      const { status, body } = await service.call('GET', `${buckets}/${id}`)
      expect(status).toBe(404)
      expect(body.code).toBe('storage.buckets.notFound')
    },
  )

  it('names bucket and project when there is none', async () => {
    const { body } = await service.call('GET', `${buckets}/in.c-nothing`)
    expect(body.error).toBe('The bucket "in.c-nothing" was not found in the project "7"')
  })
})

describe('PUT buckets/{id}', () => {
  it('refuses a display name that another bucket of the stage has', async () => {
    const id = await service.createBucket('name-a')
    await service.createBucket('name-b')
    const { body } = await service.call('PUT', `${buckets}/${id}`, { displayName: 'name-b' })
    expect(body.code).toBe('storage.buckets.alreadyExists')
  })

  it('does it by a job with async', async () => {
    const id = await service.createBucket('rename-async')
    const { status, body } = await service.call('PUT', `${buckets}/${id}?async=1`, { displayName: 'later' })
    expect([status, body.operationName, body.status]).toEqual([202, 'bucketUpdate', 'success'])
    expect((await service.call('GET', `${buckets}/${id}`)).body.displayName).toBe('later')
  })
})

describe('DELETE buckets/{id}', () => {
  it('deletes an empty one', async () => {
    const id = await service.createBucket('empty')
    expect((await service.call('DELETE', `${buckets}/${id}`)).status).toBe(204)
    expect((await service.call('GET', `${buckets}/${id}`)).status).toBe(404)
    expect((await service.call('DELETE', `${buckets}/${id}`)).body.code).toBe('storage.buckets.notFound')
  })

  it('refuses one with tables, which stays usable', async () => {
    const id = await service.createBucket('full')
    await service.createTable(id, 'a', 'x\n1\n')
    const { status, body } = await service.call('DELETE', `${buckets}/${id}`)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'buckets.deleteNotEmpty',
      error: 'Only empty buckets can be deleted. There are 1 tables in the bucket.',
    })
    await service.createTable(id, 'b', 'x\n1\n')
  })

  it('answers with a job when asked the way the Python client asks', async () => {
    const id = await service.createBucket('py')
    const tableId = await service.createTable(id, 'a', 'x\n1\n')
    const { status, body } = await service.call('DELETE', `${buckets}/${id}?force=True&async=True`)
    expect(status).toBe(202)
    expect(body).toMatchObject({ operationName: 'bucketDelete', status: 'success' })
    expect((await service.call('GET', `${buckets}/${id}`)).status).toBe(404)
    expect((await service.call('GET', `/v2/storage/tables/${tableId}`)).status).toBe(404)
  })

  it('fails by a job as it fails at once', async () => {
    const id = await service.createBucket('full-async')
    await service.createTable(id, 'a', 'x\n1\n')
    const { body } = await service.call('DELETE', `${buckets}/${id}?async=1`)
    expect(body).toMatchObject({ status: 'error', error: { code: 'buckets.deleteNotEmpty' } })
  })
})
