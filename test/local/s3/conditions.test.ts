import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { isUnmodified } from '#local/s3/http/preconditions.ts'
import { startTestS3 } from '../../support/embedded-s3.ts'
import { untilEnd } from '../../support/until-end.ts'

const s3 = await untilEnd(startTestS3())
await s3.s3.createBucket('box')

const put = (Key: string, Body: string, condition: { IfMatch?: string; IfNoneMatch?: string } = {}) =>
  s3.client.send(new PutObjectCommand({ Bucket: 'box', Key, Body, ...condition }))
const read = async (Key: string) =>
  (await s3.client.send(new GetObjectCommand({ Bucket: 'box', Key }))).Body?.transformToString()

describe('isUnmodified', () => {
  const modified = Date.parse('2026-05-05T10:00:00.700Z')
  const [same = '', before = '', after = ''] = ['10:00:00', '09:59:59', '10:00:01'].map(
    time => `Tue, 05 May 2026 ${time} GMT`,
  )
  it.each<[Record<string, string>, string]>([
    [{}, 'ok'],
    [{ 'if-match': '"tag"' }, 'ok'],
    [{ 'if-match': 'tag' }, 'ok'],
    [{ 'if-match': '*' }, 'ok'],
    [{ 'if-match': '"a", "tag"' }, 'ok'],
    [{ 'if-match': '"other"' }, 'failed'],
    [{ 'if-none-match': '"tag"' }, 'unmodified'],
    [{ 'if-none-match': 'W/"tag"' }, 'unmodified'],
    [{ 'if-none-match': '*' }, 'unmodified'],
    [{ 'if-none-match': '"other"' }, 'ok'],
    [{ 'if-modified-since': before }, 'ok'],
    [{ 'if-modified-since': same }, 'unmodified'],
    [{ 'if-modified-since': after }, 'unmodified'],
    [{ 'if-modified-since': 'rubbish' }, 'ok'],
    [{ 'if-unmodified-since': before }, 'failed'],
    [{ 'if-unmodified-since': same }, 'ok'],
    [{ 'if-unmodified-since': after }, 'ok'],
    [{ 'if-match': '"tag"', 'if-unmodified-since': before }, 'ok'],
    [{ 'if-none-match': '"other"', 'if-modified-since': after }, 'ok'],
    [{ 'if-match': '"tag"', 'if-none-match': '"tag"' }, 'unmodified'],
  ])('%j is %s', (conditions, kind) => {
    const found = () => isUnmodified(conditions, { etag: 'tag', modified })
    if (kind === 'failed') expect(found).toThrow(expect.objectContaining({ code: 'PreconditionFailed' }))
    else expect(found()).toBe(kind === 'unmodified')
  })
})

describe('a conditional read', () => {
  it('is answered 304 or 412 when the condition does not hold', async () => {
    const { ETag } = await put('read', 'content')
    const get = (input: object) =>
      s3.client.send(new GetObjectCommand({ Bucket: 'box', Key: 'read', ...input }))
    await expect(get({ IfNoneMatch: ETag })).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } })
    await expect(get({ IfMatch: '"other"' })).rejects.toMatchObject({ $metadata: { httpStatusCode: 412 } })
    await expect(get({ IfModifiedSince: new Date(Date.now() + 60_000) })).rejects.toMatchObject({
      $metadata: { httpStatusCode: 304 },
    })
    expect(await (await get({ IfMatch: ETag, Range: 'bytes=-3' })).Body?.transformToString()).toBe('ent')
    await expect(
      s3.client.send(new HeadObjectCommand({ Bucket: 'box', Key: 'read', IfMatch: '"other"' })),
    ).rejects.toMatchObject({ $metadata: { httpStatusCode: 412 } })
  })
})

describe('a conditional write', () => {
  it('lets one of 20 racers win', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, racer) => put('race', `racer ${racer}`, { IfNoneMatch: '*' })),
    )
    const winners = results.flatMap((result, racer) => (result.status === 'fulfilled' ? [racer] : []))
    expect(winners).toHaveLength(1)
    expect(await read('race')).toBe(`racer ${winners[0]}`)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ name: 'PreconditionFailed' })
  })

  it('lets one of 20 updates of the same state win', async () => {
    const { ETag = '' } = await put('update', 'before')
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, racer) => put('update', `racer ${racer}`, { IfMatch: ETag })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('fails when the object to update is missing', async () => {
    await expect(put('nowhere', 'x', { IfMatch: '"tag"' })).rejects.toMatchObject({ name: 'NoSuchKey' })
  })

  it('creates an object again that was deleted', async () => {
    await put('again', '1')
    await s3.client.send(new DeleteObjectCommand({ Bucket: 'box', Key: 'again' }))
    await put('again', '2', { IfNoneMatch: '*' })
    expect(await read('again')).toBe('2')
  })

  it('accepts only * as If-None-Match', async () => {
    await expect(put('x', 'x', { IfNoneMatch: '"tag"' })).rejects.toMatchObject({ name: 'NotImplemented' })
  })

  it('deletes only when the condition holds', async () => {
    const { ETag } = await put('delete', '1')
    const remove = (IfMatch: string | undefined) =>
      s3.client.send(new DeleteObjectCommand({ Bucket: 'box', Key: 'delete', IfMatch }))
    await expect(remove('"other"')).rejects.toMatchObject({ name: 'PreconditionFailed' })
    await remove(ETag)
    await expect(read('delete')).rejects.toMatchObject({ name: 'NoSuchKey' })
  })
})
