import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ListObjectsCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DurableFiles } from '#local/durable/durable-files.ts'
import { commonPrefixOf, endOf, listPage, successor } from '#local/s3/storage/listing.ts'
import { Store } from '#local/s3/storage/store.ts'
import { startTestS3, type TestS3 } from '../../support/embedded-s3.ts'

const startAfter = ({ key, item }: { key: string; item: unknown }): Buffer =>
  item === undefined ? endOf(key) : successor(key)

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

describe('a listing', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'listing-'))
  let store: Store
  beforeAll(async () => {
    store = await Store.open(dataDir, new DurableFiles())
  })
  afterAll(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true })
  })

  let count = 0
  const bucketWith = async (keys: Iterable<string>): Promise<string> => {
    const bucket = `bucket-${count++}`
    await store.database.transaction(() => {
      store.buckets.create(bucket)
      for (const key of keys)
        store.objects.commit({
          bucket,
          key,
          holder: store.database.nextNumber(),
          size: 0,
          etag: '',
          description: { headers: {}, metadata: {} },
          condition: {},
        })
    })
    return bucket
  }

  const listAll = (bucket: string, request: { prefix: string; delimiter: string; limit: number }) => {
    const names: string[] = []
    const sizes: number[] = []
    let from: Buffer = Buffer.of()
    for (;;) {
      const page = listPage(store.objects.current(bucket), { ...request, start: { from } })
      const found = [...page.items.map(({ key }) => key), ...page.commonPrefixes].sort(byBytes)
      expect(page.last?.key).toBe(found.at(-1))
      names.push(...found)
      sizes.push(found.length)
      if (!page.isTruncated || !page.last) break
      from = startAfter(page.last)
    }
    return { names, sizes }
  }

  // Few characters, so that keys share prefixes; and some that UTF-16 and UTF-8 sort differently.
  const key = fc.string({
    unit: fc.constantFrom('a', 'b', '/', '\u0000', '\uffff', '\ue000', '😀', 'ü', '%', '_'),
    minLength: 1,
    maxLength: 6,
  })

  it('gives every key and common prefix once, in the order of their bytes, whatever the size of a page', async () => {
    const prefixes = fc.constantFrom('', 'a', 'a/', 'a/b', '\uffff', '😀')
    const delimiters = fc.constantFrom('', '/', '/b', 'ü')
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(key, { maxLength: 40 }),
        prefixes,
        delimiters,
        fc.integer({ min: 1, max: 7 }),
        async (keys, prefix, delimiter, limit) => {
          const expected = new Set(
            keys
              .filter(name => name.startsWith(prefix))
              .map(name => commonPrefixOf(name, prefix, delimiter) ?? name)
              .sort(byBytes),
          )
          const { names, sizes } = listAll(await bucketWith(keys), { prefix, delimiter, limit })
          expect(names).toEqual([...expected])
          // Every page but the last is full, and there is no empty page behind a full one.
          expect(sizes.slice(0, -1).every(size => size === limit)).toBe(true)
          expect(names.length === 0 || (sizes.at(-1) ?? 0) > 0).toBe(true)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('starts after any key, there or not', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(key, { maxLength: 20 }), key, async (keys, after) => {
        const page = listPage(store.objects.current(await bucketWith(keys)), {
          prefix: '',
          delimiter: '',
          limit: 1000,
          start: { from: successor(after) },
        })
        expect(page.items.map(object => object.key)).toEqual(
          keys.filter(name => byBytes(name, after) > 0).sort(byBytes),
        )
      }),
      { numRuns: 50 },
    )
  })
})

describe('a bucket', () => {
  let s3: TestS3
  const keys = ['a', 'a b', 'a+b', 'a/1', 'a/2', 'b/1', 'ü', '\uffff', '😀', 'x&<>"\'']
  beforeAll(async () => {
    s3 = await startTestS3()
    await s3.s3.createBucket('box')
    for (const Key of keys) await s3.client.send(new PutObjectCommand({ Bucket: 'box', Key, Body: Key }))
  })
  afterAll(() => s3.close())
  const list = (input: object) => s3.client.send(new ListObjectsV2Command({ Bucket: 'box', ...input }))

  it('is listed in UTF-8 byte order', async () => {
    const { Contents, KeyCount, IsTruncated } = await list({})
    expect(Contents?.map(({ Key }) => Key)).toEqual(keys.toSorted(byBytes))
    expect([KeyCount, IsTruncated]).toEqual([keys.length, false])
  })

  it('is listed page by page', async () => {
    const found: (string | undefined)[] = []
    let ContinuationToken: string | undefined
    do {
      const page = await list({ MaxKeys: 3, ContinuationToken })
      found.push(...(page.Contents ?? []).map(({ Key }) => Key))
      ContinuationToken = page.NextContinuationToken
    } while (ContinuationToken !== undefined)
    expect(found).toEqual(keys.toSorted(byBytes))
  })

  it('is listed as folders', async () => {
    const page = await list({ Delimiter: '/', Prefix: '', MaxKeys: 1000 })
    expect(page.CommonPrefixes).toEqual([{ Prefix: 'a/' }, { Prefix: 'b/' }])
    expect((await list({ Delimiter: '/', Prefix: 'a/' })).Contents?.map(({ Key }) => Key)).toEqual([
      'a/1',
      'a/2',
    ])
  })

  it('encodes keys and names owners on request', async () => {
    const { Contents } = await list({ EncodingType: 'url', FetchOwner: true, Prefix: 'a' })
    expect(Contents?.map(({ Key }) => Key)).toEqual(['a', 'a%20b', 'a%2Bb', 'a/1', 'a/2'])
    expect(Contents?.[0]?.Owner?.ID).toBe('000000000000')
  })

  it('starts after a key', async () => {
    expect((await list({ StartAfter: 'ü' })).Contents?.map(({ Key }) => Key)).toEqual(['\uffff', '😀'])
  })

  it('lists nothing for max-keys 0', async () => {
    const page = await list({ MaxKeys: 0 })
    expect([page.KeyCount, page.IsTruncated, page.Contents]).toEqual([0, false, undefined])
  })

  it('is listed in the first version too, where a marker may be a folder', async () => {
    const found: (string | undefined)[] = []
    let Marker: string | undefined
    do {
      const page = await s3.client.send(
        new ListObjectsCommand({ Bucket: 'box', Delimiter: '/', MaxKeys: 1, Marker }),
      )
      found.push(
        ...[
          ...(page.Contents ?? []).map(({ Key }) => Key),
          ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
        ],
      )
      Marker = page.NextMarker
    } while (Marker !== undefined)
    expect(found).toEqual(['a', 'a b', 'a+b', 'a/', 'b/', 'x&<>"\'', 'ü', '\uffff', '😀'])
  })
})
