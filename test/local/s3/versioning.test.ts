import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { startTestS3 } from '../../support/embedded-s3.ts'
import { untilEnd } from '../../support/until-end.ts'

const s3 = await untilEnd(startTestS3())
await s3.s3.createBucket('box', { versioned: true })

const put = async (Key: string, Body: string, Bucket = 'box') =>
  (await s3.client.send(new PutObjectCommand({ Bucket, Key, Body }))).VersionId
const read = async (Key: string, VersionId?: string, Bucket = 'box') =>
  (await s3.client.send(new GetObjectCommand({ Bucket, Key, VersionId }))).Body?.transformToString()
const remove = (Key: string, VersionId?: string, Bucket = 'box') =>
  s3.client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))

describe('a bucket that keeps versions', () => {
  it('gives each PUT a version of its own', async () => {
    const ids = [await put('a', 'one'), await put('a', 'two')]
    expect(new Set(ids).size).toBe(2)
    expect([await read('a'), await read('a', ids[0]), await read('a', ids[1])]).toEqual(['two', 'one', 'two'])
    const head = await s3.client.send(new HeadObjectCommand({ Bucket: 'box', Key: 'a' }))
    expect(head.VersionId).toBe(ids[1])
  })

  it('hides a deleted object behind a marker, and shows it again when the marker is removed', async () => {
    const id = await put('b', 'content')
    const { DeleteMarker, VersionId } = await remove('b')
    expect(DeleteMarker).toBe(true)
    await expect(read('b')).rejects.toMatchObject({ name: 'NoSuchKey' })
    await expect(read('b', VersionId)).rejects.toMatchObject({ $metadata: { httpStatusCode: 405 } })
    expect(await read('b', id)).toBe('content')
    const listed = await s3.client.send(new ListObjectsV2Command({ Bucket: 'box', Prefix: 'b' }))
    expect(listed.KeyCount).toBe(0)
    await remove('b', VersionId)
    expect(await read('b')).toBe('content')
  })

  it('shows the previous version when the current one is removed', async () => {
    await put('c', 'one')
    const second = await put('c', 'two')
    await remove('c', second)
    expect(await read('c')).toBe('one')
    await expect(read('c', second)).rejects.toMatchObject({ name: 'NoSuchVersion' })
    await remove('c', second)
  })

  it('copies any version', async () => {
    const first = await put('d', 'one')
    await put('d', 'two')
    await s3.client.send(
      new CopyObjectCommand({ Bucket: 'box', Key: 'd', CopySource: `box/d?versionId=${first}` }),
    )
    expect(await read('d')).toBe('one')
  })

  it('lists versions and markers, newest first, page by page', async () => {
    await s3.s3.createBucket('list', { versioned: true })
    const ids: (string | undefined)[] = []
    for (const [Key, Body] of [
      ['k', '1'],
      ['k', '2'],
      ['l', '1'],
    ] as const)
      ids.push(await put(Key, Body, 'list'))
    const { VersionId } = await remove('k', undefined, 'list')
    const found: unknown[] = []
    let marker: object = {}
    for (;;) {
      const page = await s3.client.send(
        new ListObjectVersionsCommand({ Bucket: 'list', MaxKeys: 1, ...marker }),
      )
      found.push(
        ...[...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(one => [
          one.Key,
          one.VersionId,
          one.IsLatest,
        ]),
      )
      if (page.IsTruncated !== true) break
      marker = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
    }
    expect(found).toEqual([
      ['k', VersionId, true],
      ['k', ids[1], false],
      ['k', ids[0], false],
      ['l', ids[2], true],
    ])
  })
})

describe('versioning', () => {
  const get = async (Bucket: string) =>
    (await s3.client.send(new GetBucketVersioningCommand({ Bucket }))).Status

  it('is off, turned on, and suspended', async () => {
    await s3.s3.createBucket('switch')
    expect(await get('switch')).toBeUndefined()
    expect(await put('k', 'before', 'switch')).toBeUndefined()
    await s3.s3.createBucket('switch', { versioned: true })
    expect(await get('switch')).toBe('Enabled')
    const second = await put('k', 'on', 'switch')
    expect(await read('k', 'null', 'switch')).toBe('before')
    await s3.s3.createBucket('switch', { versioned: false })
    expect(await get('switch')).toBe('Suspended')
    await put('k', 'suspended', 'switch')
    expect(await read('k', 'null', 'switch')).toBe('suspended')
    expect(await read('k', second, 'switch')).toBe('on')
  })

  it('stays off in a bucket that is created without it', async () => {
    await s3.s3.createBucket('never', { versioned: false })
    expect(await get('never')).toBeUndefined()
  })
})
