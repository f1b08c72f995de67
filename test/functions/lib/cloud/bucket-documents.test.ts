import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createBucketDocuments, DocumentMoved } from '#lib/cloud/bucket-documents.ts'
import { deleteObjects } from '#lib/cloud/delete-objects.ts'
import { TransientError } from '#lib/errors/errors.ts'
import { conflictingWrites } from '#support/conflicting-writes.ts'
import { startObjectStore } from '#support/object-store.ts'
import { untilEnd } from '#support/until-end.ts'

const store = await untilEnd(startObjectStore())
const bucket = await store.createBucket('documents')

const documents = () => createBucketDocuments(store.client, bucket)
const schema = z.object({ by: z.string() })

describe('a document', () => {
  it('is not there, then what was written last', async () => {
    const { read, readAs, write } = documents()
    expect(await read('new')).toBeUndefined()
    expect(await readAs('new', schema)).toBeUndefined()
    const etag = await write('new', { by: 'one' }, 'any')
    expect(await read('new')).toEqual({ value: { by: 'one' }, etag })
    await write('new', { by: 'two' }, 'any')
    expect(await readAs('new', schema)).toEqual({ by: 'two' })
  })

  it('keeps keys that an object of JavaScript has of itself', async () => {
    const { read, write } = documents()
    const value: unknown = JSON.parse('{"constructor":1,"toString":[]}')
    await write('keys', value, 'any')
    expect((await read('keys'))?.value).toEqual(value)
  })

  it('expected to be absent is written once', async () => {
    const { write, offer, read } = documents()
    await write('once', { by: 'one' }, 'absent')
    await expect(write('once', { by: 'two' }, 'absent')).rejects.toBeInstanceOf(DocumentMoved)
    expect(await offer('once', { by: 'two' }, 'absent')).toBe(false)
    expect((await read('once'))?.value).toEqual({ by: 'one' })
  })

  it('is replaced as it was read, and by nobody who read another one', async () => {
    const { write, offer, read } = documents()
    const etag = await write('tagged', { by: 'one' }, 'absent')
    expect(await offer('tagged', { by: 'two' }, { etag })).toBe(true)
    expect(await offer('tagged', { by: 'three' }, { etag })).toBe(false)
    expect((await read('tagged'))?.value).toEqual({ by: 'two' })
  })

  it('that was deleted since it was read is not written again', async () => {
    const { write, offer, read } = documents()
    const etag = await write('deleted', { by: 'one' }, 'any')
    await deleteObjects(store.client, bucket, ['deleted'])
    expect(await offer('deleted', { by: 'two' }, { etag })).toBe(false)
    expect(await read('deleted')).toBeUndefined()
  })

  it('of two that decide at once is one for both', async () => {
    const { decide } = documents()
    const decided = await Promise.all(['a', 'b', 'c', 'd'].map(by => decide('raced', { by }, schema)))
    expect(new Set(decided.map(({ by }) => by)).size).toBe(1)
  })
})

describe('while another conditional write is under way (409)', () => {
  it('a write is tried again', async () => {
    const others = createBucketDocuments(conflictingWrites(store.newClient(), { times: 2 }), bucket)
    const etag = await others.write('tried-again', { by: 'me' }, 'absent')
    expect(await documents().read('tried-again')).toEqual({ value: { by: 'me' }, etag })
  })

  it('a write loses the race when the conflict stays', async () => {
    const others = createBucketDocuments(
      conflictingWrites(store.newClient(), { times: Number.POSITIVE_INFINITY }),
      bucket,
    )
    await expect(others.write('stays', { by: 'me' }, 'absent')).rejects.toBeInstanceOf(DocumentMoved)
    expect(await others.offer('stays', { by: 'me' }, { etag: '"1"' })).toBe(false)
  })

  it('a decision is that of the write which was under way', async () => {
    const meanwhile = () => documents().write('decided', { by: 'other' }, 'any')
    const others = createBucketDocuments(
      conflictingWrites(store.newClient(), { times: 1, meanwhile }),
      bucket,
    )
    expect(await others.decide('decided', { by: 'me' }, schema)).toEqual({ by: 'other' })
  })

  it('a decision may be made later when the other write came to nothing', async () => {
    const others = createBucketDocuments(
      conflictingWrites(store.newClient(), { times: Number.POSITIVE_INFINITY }),
      bucket,
    )
    await expect(others.decide('nothing', { by: 'me' }, schema)).rejects.toBeInstanceOf(TransientError)
  })
})

it('errors of S3 that say nothing of the condition pass', async () => {
  const { write } = createBucketDocuments(store.client, `${bucket}-that-is-not-there`)
  await expect(write('a', {}, 'absent')).rejects.toMatchObject({ name: 'NoSuchBucket' })
  await expect(write('a', {}, { etag: '"1"' })).rejects.toMatchObject({ name: 'NoSuchBucket' })
})
