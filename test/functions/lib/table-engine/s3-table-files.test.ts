import { randomBytes } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { HeadObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { receiveBody } from '#lib/cloud/multipart/source-object.ts'
import type { ObjectAddress } from '#lib/table-engine/files/table-files.ts'
import { readObject } from '#lib/table-engine/read-object.ts'
import { createS3TableFiles } from '#lib/table-engine/s3-table-files.ts'
import { createTableEngine } from '#lib/table-engine/table-engine.ts'
import { startObjectStore } from '#support/object-store.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'

const store = await untilEnd(startObjectStore())
const data: string = await store.createBucket('data')
const tables: string = await store.createBucket('tables')
const files = createS3TableFiles({ s3: store.client, tablesBucket: tables })
const folder = folderUntilEnd()

const put = async (key: string, body: Uint8Array | string): Promise<void> => {
  await store.client.send(new PutObjectCommand({ Bucket: data, Key: key, Body: body }))
}

const copied = async (bytes: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  // Each piece is valid until the next one is asked for.
  for await (const piece of bytes) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

const read = (key: string): Promise<Buffer> => copied(files.readDataFile({ bucket: data, key }))

const pin = async (key: string): Promise<ObjectAddress> => {
  const { ETag, ContentLength } = await store.client.send(new HeadObjectCommand({ Bucket: data, Key: key }))
  return { bucket: data, key, etag: ETag, bytes: ContentLength }
}

describe('data files in S3', () => {
  it.each([0, 1, 100_000, 20_000_000])('of %d bytes are read whole', async size => {
    const body = randomBytes(size)
    await put('sized', body)
    expect((await read('sized')).equals(body)).toBe(true)
  })

  it.each([0, 1, 4_194_304, 20_000_000])(
    'of %d bytes are read whole when their ETag is known',
    async size => {
      const body = randomBytes(size)
      await put('pinned', body)
      const address = await pin('pinned')
      expect((await copied(files.readDataFile(address))).equals(body)).toBe(true)
    },
  )

  it('are read in parts of any size', async () => {
    const body = randomBytes(20_000_000)
    await put('in parts', body)
    const address = await pin('in parts')
    for (const [start, end] of [
      [0, 20_000_000],
      [3, 19_999_999],
      [11_000_000, 11_000_001],
    ] as const) {
      const bytes = await copied(files.readDataFile(address, { start, end }))
      expect(bytes.equals(body.subarray(start, end))).toBe(true)
    }
  })

  it('are refused when they were replaced, however large', async () => {
    await put('replaced', randomBytes(9_000_000))
    const address = await pin('replaced')
    await put('replaced', randomBytes(9_000_000))
    await expect(copied(files.readDataFile(address))).rejects.toMatchObject({ code: 'source.changed' })
  })

  it('are refused when a byte came wrong', async () => {
    await put('damaged', randomBytes(9_000_000))
    const address = await pin('damaged')
    const damaged = readObject(store.client, address, {
      receive: async (source, request, target, onBytes) => {
        await receiveBody(source, request, target, onBytes)
        target[0] = (target[0] ?? 0) ^ 1
      },
    })
    await expect(copied(damaged)).rejects.toMatchObject({
      name: 'TransientError',
      code: 's3.checksumDiffers',
    })
  })

  it('that do not exist are a mistake of the user', async () => {
    await expect(read('missing.csv')).rejects.toMatchObject({
      name: 'UserError',
      code: 'storage.importFileMissing',
      message: expect.stringContaining('missing.csv'),
    })
  })
})

describe('tables in S3', () => {
  it('give their files back as they were', async () => {
    const source = path.join(folder, 'source')
    const body = randomBytes(9_000_000)
    await writeFile(source, body)
    expect(await files.upload(source, 'tables/1/a.parquet')).toBe(body.length)
    const read = async (start: number, end: number): Promise<Buffer> =>
      buffer(files.readRange('tables/1/a.parquet', { start, end }))
    expect((await read(0, body.length)).equals(body)).toBe(true)
    expect((await read(8_000_000, 8_000_001)).equals(body.subarray(8_000_000, 8_000_001))).toBe(true)
    expect((await read(5, 4_000_005)).equals(body.subarray(5, 4_000_005))).toBe(true)
  })

  it('are loaded and read from start to end', async () => {
    const engine = createTableEngine({
      s3: store.client,
      tablesBucket: tables,
      scratchDir: path.join(folder, 'scratch'),
      memoryLimitMiB: 200,
      threads: 2,
    })
    await put('orders.csv', 'id,name\n1,"Zoë ""Z"""\n')
    const { snapshot } = await engine.load({
      tableId: 'in.c-main.orders',
      keyPrefix: 'tables/2/load/',
      loadedAt: new Date(),
      current: undefined,
      primaryKey: ['id'],
      incremental: false,
      source: {
        slices: [{ bucket: data, key: 'orders.csv' }],
        isSliced: false,
        delimiter: ',',
        enclosure: '"',
        escapedBy: '',
      },
    })
    const list = await store.client.send(new ListObjectsV2Command({ Bucket: tables, Prefix: 'tables/2/' }))
    expect(list.Contents?.map(({ Key, Size }) => ({ key: Key, bytes: Size, rows: 1 }))).toEqual(
      snapshot.files.map(({ key, rows, bytes }) => ({ key, bytes, rows })),
    )
    expect((await engine.preview(snapshot, { limit: 5 })).rows).toEqual([['1', 'Zoë "Z"']])
    expect(await readdir(path.join(folder, 'scratch'))).toEqual([])
  })
})
