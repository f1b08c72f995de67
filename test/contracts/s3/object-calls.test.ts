import { createHash } from 'node:crypto'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { describe, expect, it } from 'vitest'
import { deleteObjects } from '#lib/cloud/delete-objects.ts'
import { startObjectStore } from '#support/object-store.ts'
import { untilEnd } from '#support/until-end.ts'
import { refusal } from './refusal.ts'

/*
 * What the functions ask of S3, one test for each kind of call. `npm run contracts` runs it on implementations that nobody here wrote.
 */

const store = await untilEnd(startObjectStore())
const { client } = store
const Bucket = await store.createBucket('calls')

const put = (Key: string, Body = 'text', more: Partial<PutObjectCommandInput> = {}) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))
const read = async (Key: string, VersionId?: string, In = Bucket): Promise<string | undefined> => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: In, Key, VersionId }))
  return Body?.transformToString()
}

describe('an object', () => {
  it('comes back with the headers and metadata it was stored with', async () => {
    await put('headers', 'a,b\n', {
      ContentType: 'text/csv; charset=utf-8',
      ContentEncoding: 'gzip',
      ContentDisposition: 'attachment; filename="a b.csv"',
      CacheControl: 'private',
      Metadata: { table: 'in.c-main.orders', empty: '' },
    })
    const { Metadata, ...head } = await client.send(new HeadObjectCommand({ Bucket, Key: 'headers' }))
    expect(head).toMatchObject({
      ContentType: 'text/csv; charset=utf-8',
      ContentEncoding: 'gzip',
      ContentDisposition: 'attachment; filename="a b.csv"',
      CacheControl: 'private',
      ContentLength: 4,
      ETag: `"${createHash('md5').update('a,b\n').digest('hex')}"`,
    })
    expect(Metadata).toMatchObject({ table: 'in.c-main.orders' })
  })

  it.each(['a b+c', 'ä/%25', "quo'te(1)!*", 'a//b', 'plus+%2B', '\u{1f600}'])(
    'may be named %s',
    async key => {
      await put(key, key)
      expect(await read(key)).toBe(key)
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: key }))
      expect(Contents.map(({ Key }) => Key)).toContain(key)
    },
  )

  it('is read in ranges', async () => {
    await put('range', '0123456789')
    const part = async (Range: string) => {
      const { Body, ContentRange } = await client.send(new GetObjectCommand({ Bucket, Key: 'range', Range }))
      return [await Body?.transformToString(), ContentRange]
    }
    expect(await part('bytes=2-4')).toEqual(['234', 'bytes 2-4/10'])
    expect(await part('bytes=8-')).toEqual(['89', 'bytes 8-9/10'])
    expect(await part('bytes=-3')).toEqual(['789', 'bytes 7-9/10'])
    expect(await part('bytes=5-100')).toEqual(['56789', 'bytes 5-9/10'])
    expect(await refusal(part('bytes=10-'))).toEqual([416, 'InvalidRange'])
  })

  it('is read only as the version that its ETag names', async () => {
    const { ETag } = await put('pinned', 'one')
    expect(await refusal(client.send(new GetObjectCommand({ Bucket, Key: 'pinned', IfMatch: ETag })))).toBe(
      'done',
    )
    await put('pinned', 'two')
    const get = new GetObjectCommand({ Bucket, Key: 'pinned', IfMatch: ETag })
    expect(await refusal(client.send(get))).toEqual([412, 'PreconditionFailed'])
    const head = new HeadObjectCommand({ Bucket, Key: 'pinned', IfMatch: ETag })
    expect(await refusal(client.send(head))).toEqual([412, expect.any(String)])
  })

  it('that is not there is NoSuchKey, and its bucket NoSuchBucket', async () => {
    expect(await refusal(read('none'))).toEqual([404, 'NoSuchKey'])
    expect(await refusal(client.send(new HeadObjectCommand({ Bucket, Key: 'none' })))).toEqual([
      404,
      'NotFound',
    ])
    expect(await refusal(read('none', undefined, 'millrace-test-none'))).toEqual([404, 'NoSuchBucket'])
  })

  it('keeps the CRC32 that it was sent with', async () => {
    const { ChecksumCRC32 } = await put('sum', '123456789', { ChecksumCRC32: 'y/Q5Jg==' })
    expect(ChecksumCRC32).toBe('y/Q5Jg==')
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'sum', ChecksumMode: 'ENABLED' }))
    expect(head.ChecksumCRC32).toBe('y/Q5Jg==')
  })

  it('is refused with a wrong CRC32', async () => {
    expect(await refusal(put('wrong sum', '123456789', { ChecksumCRC32: 'AAAAAA==' }))).toEqual([
      400,
      'BadDigest',
    ])
    expect(await refusal(read('wrong sum'))).toEqual([404, 'NoSuchKey'])
  })

  it('is copied with new metadata, and has no tags', async () => {
    await put('source', 'copied', { Metadata: { of: 'source' } })
    await client.send(
      new CopyObjectCommand({
        Bucket,
        Key: 'copy',
        CopySource: `${Bucket}/source`,
        MetadataDirective: 'REPLACE',
        TaggingDirective: 'REPLACE',
        Metadata: { of: 'copy' },
        ContentType: 'text/plain',
      }),
    )
    expect(await read('copy')).toBe('copied')
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: 'copy' }))
    expect(head).toMatchObject({ Metadata: { of: 'copy' }, ContentType: 'text/plain' })
    const { TagSet } = await client.send(new GetObjectTaggingCommand({ Bucket, Key: 'copy' }))
    expect(TagSet).toEqual([])
  })

  it('is copied only as the version that its ETag names', async () => {
    await put('moved', 'one')
    const copy = new CopyObjectCommand({
      Bucket,
      Key: 'copy of moved',
      CopySource: `${Bucket}/moved`,
      CopySourceIfMatch: '"00000000000000000000000000000000"',
    })
    expect(await refusal(client.send(copy))).toEqual([412, 'PreconditionFailed'])
  })
})

describe('a conditional write', () => {
  it('is done only when there is no object', async () => {
    await put('once', 'first', { IfNoneMatch: '*' })
    expect(await refusal(put('once', 'second', { IfNoneMatch: '*' }))).toEqual([412, 'PreconditionFailed'])
    expect(await read('once')).toBe('first')
  })

  it('is done only over what its ETag names', async () => {
    const { ETag } = await put('over', 'first')
    await put('over', 'second', { IfMatch: ETag })
    expect(await refusal(put('over', 'third', { IfMatch: ETag }))).toEqual([412, 'PreconditionFailed'])
    expect(await read('over')).toBe('second')
    expect(await refusal(put('never', 'text', { IfMatch: ETag }))).toEqual([404, 'NoSuchKey'])
  })

  it('is done by one of many at once', async () => {
    const all = Array.from({ length: 8 }, (_, n) => refusal(put('race', `${n}`, { IfNoneMatch: '*' })))
    const outcomes = await Promise.all(all)
    expect(outcomes.filter(outcome => outcome === 'done')).toHaveLength(1)
    // S3 User Guide, "Conditional writes": the others meet the object, or the write that is not done yet.
    for (const outcome of outcomes)
      if (outcome !== 'done') expect([412, 409]).toContain(Array.isArray(outcome) ? outcome[0] : outcome)
  })
})

describe('a listing', () => {
  const keys = ['a/1', 'a/2', 'a/3', 'b', 'c/1', 'c/2', 'ä', '\u{ff5e}', '\u{1f600}']
  const inUtf8 = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

  it('gives each key once, in the order of UTF-8, in pages of any size', async () => {
    const listed = await store.createBucket('listed')
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket: listed, Key, Body: Key }))
    for (const MaxKeys of [1, 2, 4, 100]) {
      const found: (string | undefined)[] = []
      let ContinuationToken: string | undefined
      do {
        const page = await client.send(
          new ListObjectsV2Command({ Bucket: listed, MaxKeys, ContinuationToken }),
        )
        expect(page.KeyCount).toBe(page.Contents?.length ?? 0)
        expect(page.KeyCount).toBeLessThanOrEqual(MaxKeys)
        found.push(...(page.Contents ?? []).map(({ Key }) => Key))
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken)
      expect(found).toEqual(keys.toSorted(inUtf8))
    }
    const rest = await client.send(new ListObjectsV2Command({ Bucket: listed, StartAfter: 'c/1' }))
    expect(rest.Contents?.[0]?.Key).toBe('c/2')
    const folders = await client.send(new ListObjectsV2Command({ Bucket: listed, Delimiter: '/' }))
    expect(folders.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['a/', 'c/'])
    expect(folders.Contents?.map(({ Key }) => Key)).toEqual(['b', 'ä', '\u{ff5e}', '\u{1f600}'])
  })

  it('does not show what was deleted, whether it was there or not', async () => {
    await put('gone/1')
    await put('gone/2')
    const Objects = ['gone/1', 'gone/2', 'gone/3'].map(Key => ({ Key }))
    const { Deleted = [], Errors = [] } = await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects } }),
    )
    expect([Deleted.length, Errors]).toEqual([3, []])
    await deleteObjects(client, Bucket, ['gone/1'])
    const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'gone/' }))
    expect(KeyCount).toBe(0)
  })
})

it('versions are listed newest first, read by their ids, and hidden by a delete marker', async () => {
  const versioned = await store.createBucket('versions', { isVersioned: true })
  const write = async (Body: string) =>
    (await client.send(new PutObjectCommand({ Bucket: versioned, Key: 'key', Body }))).VersionId
  const ids = [await write('one'), await write('two'), await write('three')]
  const { Versions = [] } = await client.send(
    new ListObjectVersionsCommand({ Bucket: versioned, Prefix: 'key' }),
  )
  expect(Versions.map(({ VersionId }) => VersionId)).toEqual(ids.toReversed())
  expect(Versions.map(({ IsLatest }) => IsLatest)).toEqual([true, false, false])
  expect(await read('key', ids[0], versioned)).toBe('one')

  const page = await client.send(new ListObjectVersionsCommand({ Bucket: versioned, MaxKeys: 2 }))
  expect([page.IsTruncated, page.NextKeyMarker, page.NextVersionIdMarker]).toEqual([true, 'key', ids[1]])
  const marks = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
  const rest = await client.send(new ListObjectVersionsCommand({ Bucket: versioned, ...marks }))
  expect(rest.Versions?.map(({ VersionId }) => VersionId)).toEqual([ids[0]])

  const gone = await client.send(new DeleteObjectCommand({ Bucket: versioned, Key: 'key' }))
  expect(gone.DeleteMarker).toBe(true)
  expect(await refusal(read('key', undefined, versioned))).toEqual([404, 'NoSuchKey'])
  expect(await read('key', ids[2], versioned)).toBe('three')
  await client.send(new DeleteObjectCommand({ Bucket: versioned, Key: 'key', VersionId: gone.VersionId }))
  expect(await read('key', undefined, versioned)).toBe('three')
  await client.send(new DeleteObjectCommand({ Bucket: versioned, Key: 'key', VersionId: ids[2] }))
  expect(await read('key', undefined, versioned)).toBe('two')
})

it('a version id that no version can have is refused', async () => {
  expect(await refusal(read('key', 'malformed'))).toEqual([400, 'InvalidArgument'])
})

describe('a presigned request', () => {
  it('reads and writes an object', async () => {
    const to = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: 'signed ä' }), {
      expiresIn: 60,
    })
    expect((await fetch(to, { method: 'PUT', body: 'signed' })).status).toBe(200)
    const of = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'signed ä' }), {
      expiresIn: 60,
    })
    expect(await (await fetch(of)).text()).toBe('signed')
  })

  it('is refused when it was changed', async () => {
    await put('signed')
    const url = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'signed' }), { expiresIn: 60 })
    expect((await fetch(url.replace('/signed?', '/other?'))).status).toBe(403)
  })

  it('is refused when its time is over', async () => {
    await put('signed')
    const long = { expiresIn: 60, signingDate: new Date(Date.now() - 3_600_000) }
    const over = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: 'signed' }), long)
    expect((await fetch(over)).status).toBe(403)
  })

  it('of a form stores its file', async () => {
    const { url, fields } = await createPresignedPost(client, {
      Bucket,
      Key: 'posted',
      Conditions: [['content-length-range', 1, 1_000]],
      Fields: { success_action_status: '201' },
      Expires: 60,
    })
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', new Blob(['of a form']))
    expect((await fetch(url, { method: 'POST', body: form })).status).toBe(201)
    expect(await read('posted')).toBe('of a form')
  })

  it('of a form refuses a file that its policy does not allow', async () => {
    const { url, fields } = await createPresignedPost(client, {
      Bucket,
      Key: 'too long',
      Conditions: [['content-length-range', 1, 10]],
      Expires: 60,
    })
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', new Blob(['longer than ten']))
    expect((await fetch(url, { method: 'POST', body: form })).status).toBe(400)
    expect(await refusal(read('too long'))).toEqual([404, 'NoSuchKey'])
  })
})
