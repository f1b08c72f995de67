import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openFile } from '#lib/table-engine/csv/open-file.ts'
import { overwritten } from '../support/overwritten.ts'

const arrive = async function* (bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < bytes.length; index += pieceBytes)
    yield bytes.subarray(index, index + pieceBytes)
}

const read = async (
  bytes: Uint8Array,
  pieceBytes = 1 << 20,
  maxUncompressedBytes?: number,
): Promise<{ text: string; isCompressed: boolean }> => {
  const file = await openFile(overwritten(arrive(bytes, pieceBytes)), 'The file', maxUncompressedBytes)
  const pieces: Uint8Array[] = []
  for await (const piece of file.bytes) pieces.push(Buffer.from(piece))
  return { text: Buffer.concat(pieces).toString(), isCompressed: file.isCompressed }
}

const CSV = 'a,b\n1,"x"\n'
const gzip = gzipSync(CSV)

describe('openFile', () => {
  const accepted: { it: string; bytes: Uint8Array; text: string; isCompressed: boolean }[] = [
    { it: 'plain text', bytes: Buffer.from(CSV), text: CSV, isCompressed: false },
    { it: 'an empty file', bytes: Buffer.alloc(0), text: '', isCompressed: false },
    { it: 'a file of one byte', bytes: Buffer.from('a'), text: 'a', isCompressed: false },
    { it: 'gzip', bytes: gzip, text: CSV, isCompressed: true },
    { it: 'gzip of nothing', bytes: gzipSync(''), text: '', isCompressed: true },
    { it: 'gzip in several members', bytes: Buffer.concat([gzip, gzip]), text: CSV + CSV, isCompressed: true },
    { it: 'gzip with zeros behind it', bytes: Buffer.concat([gzip, Buffer.alloc(9)]), text: CSV, isCompressed: true },
    { it: 'gzip of level 0', bytes: gzipSync(CSV, { level: 0 }), text: CSV, isCompressed: true },
    { it: 'gzip of level 9', bytes: gzipSync(CSV, { level: 9 }), text: CSV, isCompressed: true },
  ] // biome-ignore format: one case, one line
  describe.each([1, 7, 1 << 20])('in pieces of %d bytes', pieceBytes => {
    it.each(accepted)('reads $it', async ({ bytes, text, isCompressed }) => {
      expect(await read(bytes, pieceBytes)).toEqual({ text, isCompressed })
    })
  })

  const corrupt = Buffer.from(gzipSync(CSV.repeat(100)))
  corrupt[20] = (corrupt[20] ?? 0) ^ 0xff
  const tar = Buffer.alloc(1024)
  tar.write('data.csv')
  tar.write('ustar', 257)
  const zip = Buffer.concat([
    Buffer.from('PK\x03\x04\x14\x00\x00\x00\x08\x00', 'latin1'),
    deflateRawSync(CSV),
  ])
  const refused: { it: string; bytes: Uint8Array; message: RegExp }[] = [
    { it: 'gzip that is cut off', bytes: gzip.subarray(0, -9), message: /data is cut off/ },
    { it: 'gzip that lacks its last byte', bytes: gzip.subarray(0, -1), message: /data is cut off/ },
    { it: 'gzip that is only its first two bytes', bytes: gzip.subarray(0, 2), message: /data is cut off/ },
    { it: 'gzip with a flipped byte', bytes: corrupt, message: /data is broken/ },
    { it: 'gzip twice', bytes: gzipSync(gzip), message: /compressed with gzip twice/ },
    { it: 'gzip with text behind it', bytes: Buffer.concat([gzip, Buffer.from('x,y\n')]), message: /broken|other data/ },
    { it: 'gzip with half a member behind it', bytes: Buffer.concat([gzip, gzip.subarray(0, 12)]), message: /cut off/ },
    { it: 'tar in gzip', bytes: gzipSync(tar), message: /is a tar archive/ },
    { it: 'ZIP', bytes: zip, message: /is a ZIP archive/ },
    { it: 'UTF-16', bytes: Buffer.from('\ufeffa,b\n', 'utf16le'), message: /is in UTF-16/ },
  ] // biome-ignore format: one case, one line
  describe.each([1, 1 << 20])('in pieces of %d bytes', pieceBytes => {
    it.each(refused)('refuses $it', async ({ bytes, message }) => {
      await expect(read(bytes, pieceBytes)).rejects.toMatchObject({
        name: 'UserError',
        code: 'invalidCsv',
        message: expect.stringMatching(message),
      })
    })
  })

  it.each([9, 3_000_000])('finds what is behind %d zeros', async zeros => {
    const file = Buffer.concat([gzip, Buffer.alloc(zeros), gzip])
    await expect(read(file, 1 << 16)).rejects.toThrow(`followed by other data from byte ${gzip.length}`)
  })

  it('stops at gzip that becomes far larger than any export', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, 'a\n'))
    await expect(read(bomb, 1 << 20, 1_000_000)).rejects.toMatchObject({
      code: 'invalidCsv',
      message: expect.stringContaining('more than 100 times larger'),
    })
  })

  it('passes on the failure of what it reads from', async () => {
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield gzip.subarray(0, 12)
      throw new Error('connection reset')
    }
    const readBroken = async (): Promise<void> => {
      for await (const _ of (await openFile(broken())).bytes);
    }
    await expect(readBroken()).rejects.toThrow('connection reset')
  })
})
