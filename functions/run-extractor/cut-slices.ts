import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { formatCrc32 } from '../lib/aws/multipart/combine-crc32.ts'
import { RFC_4180 } from '../lib/table-engine/csv/csv-dialect.ts'
import { CsvScanner } from '../lib/table-engine/csv/csv-scanner.ts'

/** Whole records of a file. */
interface Slice {
  firstByte: number
  lastByte: number
  /** CRC32 in base64. */
  checksum: string
}

const READ_BYTES = 1024 ** 2

/**
 * Cuts a table of the extractor, CSV with a header line, into slices of at least so many bytes, the last one excepted. The header is in
 * none of them. Reads the file once, and holds 1 MiB of it.
 */
export async function* cutSlices(handle: FileHandle, sliceBytes: number): AsyncGenerator<Slice> {
  const scanner = new CsvScanner({ dialect: RFC_4180 })
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  let isHeader = true
  let crc = 0
  let firstByte = 0
  scanner.stopAfter(1)
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, at)
    if (bytesRead === 0) break
    at += bytesRead
    const bytes = buffer.subarray(0, bytesRead)
    for (let index = 0; index < bytesRead; ) {
      const next = scanner.scan(bytes, index)
      crc = crc32(bytes.subarray(index, next), crc)
      index = next
      if (!scanner.stopped) continue
      const end = scanner.offset
      if (!isHeader) yield { firstByte, lastByte: end - 1, checksum: formatCrc32(crc) }
      isHeader = false
      firstByte = end
      crc = 0
      scanner.stopAfter(sliceBytes)
    }
  }
  scanner.finish()
  if (scanner.offset > firstByte && !isHeader)
    yield { firstByte, lastByte: scanner.offset - 1, checksum: formatCrc32(crc) }
}
