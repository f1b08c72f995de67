import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { putFile } from '#lib/cloud/multipart/file-body.ts'
import { formatCrc32 } from '#lib/combine-crc.ts'
import { startFaultyS3 } from '#support/faulty-s3.ts'
import { folderUntilEnd } from '#support/until-end.ts'

const folder = folderUntilEnd()

const { store, proxy, s3 } = await startFaultyS3('files')

const write = async (name: string, content: Uint8Array): Promise<string> => {
  await writeFile(join(folder, name), content)
  return join(folder, name)
}

const stored = async (Key: string) => {
  const { Body, ChecksumCRC32, ETag } = await store.client.send(
    new GetObjectCommand({ Bucket: 'files', Key, ChecksumMode: 'ENABLED' }),
  )
  return { content: Buffer.from((await Body?.transformToByteArray()) ?? []), ChecksumCRC32, ETag }
}

const PIECE = 256 * 1024

it.each([0, 1, PIECE, PIECE + 1, 5_000_000])(
  'a file of %d bytes is an object with its checksum, in one request',
  async size => {
    const content = randomBytes(size)
    const path = await write(`of-${size}`, content)
    expect(await putFile(s3, path, { Bucket: 'files', Key: `of-${size}` })).toBe(size)
    const object = await stored(`of-${size}`)
    expect(object.content.equals(content)).toBe(true)
    expect(object.ChecksumCRC32).toBe(formatCrc32(crc32(content)))
    expect(object.ETag).not.toContain('-') // As that of parts does.
  },
)

it('files that are put at the same time are whole', async () => {
  const contents = Array.from({ length: 8 }, (_, index) => randomBytes(300_000 * (index + 1)))
  const paths = await Promise.all(contents.map((content, index) => write(`many-${index}`, content)))
  await Promise.all(paths.map((path, index) => putFile(s3, path, { Bucket: 'files', Key: `many-${index}` })))
  const objects = await Promise.all(paths.map((_, index) => stored(`many-${index}`)))
  expect(objects.every(({ content }, index) => content.equals(contents[index] as Buffer))).toBe(true)
})

it.each([1_000, 3_000_000])('a file of %d bytes is sent again when the connection breaks', async size => {
  const content = randomBytes(size)
  const path = await write(`again-${size}`, content)
  proxy.decide((_, number) => (number === 1 ? 'resetBefore' : undefined))
  await putFile(s3, path, { Bucket: 'files', Key: `again-${size}` })
  expect(proxy.count()).toBe(2)
  expect((await stored(`again-${size}`)).content.equals(content)).toBe(true)
})
