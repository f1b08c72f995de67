import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { crc32, gzipSync } from 'node:zlib'
import { HeadObjectCommand } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import { z } from 'zod'
import { readBlocks } from '../../functions/lib/cloud/multipart/read-blocks.ts'
import type {
  ObjectRange,
  ReceiveBody,
  SourceObject,
} from '../../functions/lib/cloud/multipart/source-object.ts'
import { combineCrc32, parseCrc32 } from '../../functions/lib/combine-crc.ts'
import { hexDigest } from '../../functions/lib/digests.ts'
import { pathInside } from '../../functions/lib/paths/path-inside.ts'
import { joinedForm, listSlices } from '../../functions/lib/storage/files/list-slices.ts'
import { formatRecord } from '../../functions/lib/table-engine/csv/format-records.ts'
import type { Progress } from '../shell/progress.ts'
import type { StorageConnection } from './connect-storage.ts'
import { journalAt } from './journal.ts'

interface DownloadOptions {
  connection: StorageConnection
  fileId: number
  /** Column names of the header line. Undefined: no header line. */
  columns?: string[] | undefined
  startProgress: (what: string, totalBytes: number) => Progress
}

export interface Download {
  bytes: number
  /** How many of them an earlier attempt had downloaded. */
  resumedBytes: number
  crc: number
  /** Whether S3 had a checksum to compare with. Sizes and ETags are compared in any case. */
  isVerified: boolean
}

const MiB = 1024 ** 2
/** Blocks are read in parallel and written in order; memory use is size times number. */
const BLOCK_BYTES = 8 * MiB
const BLOCKS_AHEAD = 5

type Part = Uint8Array | SourceObject

interface Content {
  /** Bytes of our own, such as the header, and slices. */
  parts: Part[]
  bytes: number
  fingerprint: string
}

/** Downloads to a path. Resumes a partial download. */
export const downloadToPath = async (
  path: string,
  request: string,
  options: DownloadOptions,
): Promise<Download> => writeContent(path, request, await findContent(options), options)

/** Downloads each slice into a folder, under a name that begins with its number. Resumes as `downloadToPath` does. */
export const downloadSlices = async (
  folder: string,
  request: string,
  options: DownloadOptions,
): Promise<Download> => {
  const slices = await slicesOf(options)
  await mkdir(folder, { recursive: true })
  const whole: Download = { bytes: 0, resumedBytes: 0, crc: 0, isVerified: true }
  for (const [index, slice] of slices.entries()) {
    const name = `${String(index + 1).padStart(6, '0')}-${slice.key.slice(slice.key.lastIndexOf('/') + 1)}`
    const content = contentOf([slice])
    const part = await writeContent(pathInside(folder, name), request, content, options)
    whole.crc = combineCrc32([whole, part])
    whole.bytes += part.bytes
    whole.resumedBytes += part.resumedBytes
    whole.isVerified &&= part.isVerified
  }
  return whole
}

const writeContent = async (
  path: string,
  request: string,
  content: Content,
  options: DownloadOptions,
): Promise<Download> => {
  const { fileId, columns } = options
  const { fingerprint } = content
  const part = `${path}.part`
  const journal = downloadJournal(path)
  const known = await journal.read()
  await journal.save({ request, fileId, columns, fingerprint })
  const isSame = known?.request === request && known.fingerprint === fingerprint && existsSync(part)
  const kept = isSame ? await keptOf(part) : NOTHING
  const handle = await open(part, isSame ? 'a' : 'w')
  const write = async (block: Uint8Array) => {
    // In as few system calls as it takes; `writeFile` of a handle writes 512 KiB at a time.
    for (let written = 0; written < block.length; )
      written += (await handle.write(block, written)).bytesWritten
  }
  try {
    const download = await bring(content, write, { ...options, what: path, kept }).finally(() =>
      handle.close(),
    )
    await rename(part, path)
    await journal.remove()
    return download
  } catch (error) {
    if (error instanceof DifferentChecksum) {
      await rm(part, { force: true })
      await journal.remove()
    }
    throw error
  }
}

/** Downloads into a stream, such as standard output. */
export const downloadToStream = async (stream: Writable, options: DownloadOptions): Promise<Download> => {
  // The next block overwrites this one, so wait until it is written.
  const write = (block: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      stream.write(block, error => (error ? reject(error) : resolve()))
    })
  return bring(await findContent(options), write, { ...options, what: 'The download', kept: NOTHING })
}

class DifferentChecksum extends Error {}

interface Kept {
  bytes: number
  crc: number
}
const NOTHING: Kept = { bytes: 0, crc: 0 }

/** Reads what is not kept yet, and compares the whole with what S3 knows of it. */
const bring = async (
  content: Content,
  write: (block: Uint8Array) => Promise<void>,
  { what, kept, connection, startProgress }: DownloadOptions & { what: string; kept: Kept },
): Promise<Download> => {
  const progress = startProgress(what, content.bytes - kept.bytes)
  const checksum = expectedChecksum(content.parts)
  checksum.catch(() => undefined) // Awaited at the end.
  let { crc } = kept
  try {
    for await (const block of readContent(content, kept.bytes, connection.receive)) {
      await write(block)
      crc = crc32(block, crc)
      progress.add(block.length)
    }
  } finally {
    progress.end()
  }
  const expected = await checksum
  if (expected !== undefined && expected !== crc)
    throw new DifferentChecksum(`${what} has another checksum than the file: download it again`)
  return { bytes: content.bytes, resumedBytes: kept.bytes, crc, isVerified: expected !== undefined }
}

/** Length and checksum of what an earlier attempt has written. */
const keptOf = async (part: string): Promise<Kept> => {
  const kept = { bytes: 0, crc: 0 }
  for await (const chunk of createReadStream(part, { highWaterMark: MiB })) {
    kept.crc = crc32(chunk, kept.crc)
    kept.bytes += chunk.length
  }
  return kept
}

const slicesOf = async ({ connection, fileId }: DownloadOptions): Promise<SourceObject[]> => {
  const file = await connection.storage.file(fileId)
  return listSlices({ s3: connection.s3For(file), ...file.s3Path, isSliced: file.isSliced })
}

/** Throws `UserError` `storage.slicesNotJoined`, before a byte is written. */
const findContent = async (options: DownloadOptions): Promise<Content> => {
  const { columns } = options
  const slices = await slicesOf(options)
  // Only tables are downloaded with names of columns.
  const isExport = columns !== undefined
  const { form, open, lineEnd } = await joinedForm(slices, { hasHeader: isExport, isExport })
  const line = columns ? Buffer.from(formatRecord(columns)) : Buffer.alloc(0)
  return contentOf([
    line.length > 0 && form === 'compressed with gzip' ? gzipSync(line) : line,
    ...slices.flatMap(slice => (open.has(slice) ? [slice, lineEnd] : [slice])),
  ])
}

const isOwn = (part: Part): part is Uint8Array => part instanceof Uint8Array

const bytesOf = (part: Part): number => (isOwn(part) ? part.length : part.bytes)

const contentOf = (parts: Part[]): Content => ({
  parts,
  bytes: parts.reduce((sum, part) => sum + bytesOf(part), 0),
  fingerprint: hexDigest(
    JSON.stringify(
      parts.map(part =>
        isOwn(part) ? Buffer.from(part).toString('base64') : [part.key, part.etag, part.bytes],
      ),
    ),
  ),
})

async function* readContent(
  { parts }: Content,
  from: number,
  receive: ReceiveBody,
): AsyncGenerator<Uint8Array> {
  let start = 0
  let ranges: ObjectRange[] = []
  const readRanges = async function* (): AsyncGenerator<Uint8Array> {
    yield* readBlocks(ranges, { blockBytes: BLOCK_BYTES, ahead: BLOCKS_AHEAD, isReused: true, receive })
    ranges = []
  }
  for (const part of parts) {
    const firstByte = Math.max(0, from - start)
    const bytes = bytesOf(part)
    start += bytes
    if (firstByte >= bytes) continue
    if (isOwn(part)) {
      yield* readRanges()
      yield part.subarray(firstByte)
    } else ranges.push({ source: part, firstByte, lastByte: bytes - 1 })
  }
  yield* readRanges()
}

const journalSchema = z.object({
  /** The request as one text. */
  request: z.string(),
  fileId: z.number(),
  columns: z.array(z.string()).optional(),
  /** Equal fingerprints mean equal bytes. */
  fingerprint: z.string().optional(),
})

/** `<path>.part` holds the bytes of a download that is not whole, `<path>.part.json` says what they belong to. */
export const downloadJournal = (path: string) => journalAt(`${path}.part.json`, journalSchema)

const HEADS_IN_PARALLEL = 16

/**
 * CRC32 of all objects in a row, combined from the checksums that S3 has. `undefined` when one object has none: other
 * tools store other checksums, or one per part.
 */
const expectedChecksum = async (parts: readonly Part[]): Promise<number | undefined> => {
  const checksums = await pMap(
    parts,
    async part => {
      if (isOwn(part)) return { crc: crc32(part), bytes: part.length }
      const { s3, bucket, key, etag, bytes } = part
      if (bytes === 0) return { crc: 0, bytes }
      const head = await s3.send(
        new HeadObjectCommand({ Bucket: bucket, Key: key, IfMatch: etag, ChecksumMode: 'ENABLED' }),
      )
      const isOfWhole = head.ChecksumCRC32 !== undefined && !head.ChecksumCRC32.includes('-')
      return isOfWhole ? { crc: parseCrc32(head.ChecksumCRC32 ?? ''), bytes } : undefined
    },
    { concurrency: HEADS_IN_PARALLEL },
  )
  const known = checksums.filter(checksum => checksum !== undefined)
  return known.length < checksums.length ? undefined : combineCrc32(known)
}
