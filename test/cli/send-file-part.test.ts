import { randomBytes } from 'node:crypto'
import { open, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RING_BYTES, readPieces } from '#lib/cloud/multipart/file-body.ts'
import { completeUpload, createUpload, type MultipartUpload } from '#lib/cloud/multipart/multipart-upload.ts'
import { formatCrc32 } from '#lib/combine-crc.ts'
import type { Fault } from '#support/fault-proxy.ts'
import { startFaultyS3 } from '#support/faulty-s3.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { sendFilePart } from '../../cli/transfer/upload-parts.ts'

const bucket = 'parts'
const content = randomBytes(3_000_000)
/** Does not end with a piece. */
const range = { partNumber: 1, firstByte: 7, lastByte: 2_900_000 }
const wanted = content.subarray(range.firstByte, range.lastByte + 1)
const checksum = formatCrc32(crc32(wanted))

const folder = folderUntilEnd()
await writeFile(join(folder, 'content'), content)
const handle = await untilEnd(open(join(folder, 'content')))
const { store, proxy, s3 } = await startFaultyS3(bucket)

const begin = (key: string): Promise<MultipartUpload> => createUpload({ s3, bucket, key })

const send = (upload: MultipartUpload, given: Partial<Parameters<typeof sendFilePart>[1]> = {}) =>
  sendFilePart(upload, { handle, range, checksum, ring: new Uint8Array(RING_BYTES), ...given })

const stored = async (upload: MultipartUpload): Promise<Buffer> => {
  const { Body } = await store.client.send(new GetObjectCommand({ Bucket: bucket, Key: upload.key }))
  return Buffer.from((await Body?.transformToByteArray()) ?? [])
}

describe('the pieces of a file', () => {
  it('are its bytes, also when three are in use at a time', async () => {
    const position = fc.nat({ max: content.length - 1 })
    await fc.assert(
      fc.asyncProperty(position, position, async (a, b) => {
        const [firstByte, lastByte] = [Math.min(a, b), Math.max(a, b)]
        const ring = new Uint8Array(RING_BYTES)
        const inUse: Uint8Array[] = []
        const bytes: Buffer[] = []
        for await (const piece of readPieces(handle, { firstByte, lastByte }, ring)) {
          inUse.push(piece)
          if (inUse.length === 3) bytes.push(Buffer.from(inUse.shift() ?? []))
        }
        const all = Buffer.concat([...bytes, ...inUse])
        expect(all.equals(content.subarray(firstByte, lastByte + 1))).toBe(true)
      }),
      { numRuns: 20 },
    )
  })
})

describe('a part of a file', () => {
  it.each<Fault | undefined>([undefined, 'slowDown', 'error500After', 'resetBefore', 'resetAfter'])(
    'is stored whole, with the fault: %s',
    async fault => {
      const upload = await begin(`fault-${fault}`)
      proxy.decide(({ method }, number) => (method === 'PUT' && number === 1 ? fault : undefined))
      const part = await send(upload)
      expect(part).toMatchObject({ partNumber: 1, bytes: wanted.length, checksum })
      await completeUpload(upload, [part])
      expect((await stored(upload)).equals(wanted)).toBe(true)
    },
  )

  it('is refused when its bytes have another checksum', async () => {
    const upload = await begin('changed')
    await expect(send(upload, { checksum: formatCrc32(1) })).rejects.toMatchObject({ name: 'BadDigest' })
  })

  it('that the file no longer has is an error', async () => {
    const path = join(folder, 'short')
    await writeFile(path, content)
    await truncate(path, 1_000_000)
    const short = await open(path)
    try {
      const sent = send(await begin('short'), { handle: short })
      await expect(sent).rejects.toThrow('The file became shorter while it was uploaded')
    } finally {
      await short.close()
    }
  })
})
