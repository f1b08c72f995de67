import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { crc32, gzipSync } from 'node:zlib'
import { HeadObjectCommand } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import { z } from 'zod'
import { combineCrc32, parseCrc32 } from '../../functions/lib/aws/multipart/combine-crc32.ts'
import { readBlocks } from '../../functions/lib/aws/multipart/read-blocks.ts'
import type {
  ObjectRange,
  ReceiveBody,
  SourceObject,
} from '../../functions/lib/aws/multipart/source-object.ts'
import { hexDigest } from '../../functions/lib/digests.ts'
import { pathInside } from '../../functions/lib/paths/path-inside.ts'
import { joinedForm, listSlices } from '../../functions/lib/storage/files/list-slices.ts'
import { formatRecord } from '../../functions/lib/table-engine/csv/format-records.ts'
import type { Progress } from '../shell/progress.ts'
import type { StorageConnection } from './connect-storage.ts'

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
    whole.crc = combineCrc32(whole.crc, part.crc, part.bytes)
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
  const partial = partialFile(path)
  const { connection, fileId, columns } = options
  const known = await partial.journal(request)
  const journal: DownloadJournal = { request, fileId, columns, fingerprint: content.fingerprint }
  const isSame = known?.fingerprint === content.fingerprint
  await partial.saveJournal(journal)
  const { handle, crc: keptCrc, bytes: keptBytes } = await partial.open(isSame)
  let crc = keptCrc
  const progress = options.startProgress(path, content.bytes - keptBytes)
  const checksum = expectedChecksum(content.parts)
  checksum.catch(() => undefined) // Awaited at the end.
  try {
    for await (const block of readContent(content, keptBytes, connection.receive)) {
      await writeAll(handle, block)
      crc = crc32(block, crc)
      progress.add(block.length)
    }
  } finally {
    progress.end()
    await handle.close()
  }
  const isVerified = checkSum(crc, await checksum)
  if (isVerified === 'differs') {
    await partial.discard()
    throw new Error(`${path} has another checksum than the file: download it again`)
  }
  await partial.finish()
  return { bytes: content.bytes, resumedBytes: keptBytes, crc, isVerified: isVerified === 'equal' }
}

/** Downloads into a stream, such as standard output. */
export const downloadToStream = async (stream: Writable, options: DownloadOptions): Promise<Download> => {
  const content = await findContent(options)
  const progress = options.startProgress('download', content.bytes)
  const checksum = expectedChecksum(content.parts)
  checksum.catch(() => undefined) // Awaited at the end.
  let crc = 0
  try {
    for await (const block of readContent(content, 0, options.connection.receive)) {
      crc = crc32(block, crc)
      // The next block overwrites this one, so wait until it is written.
      await new Promise<void>((resolve, reject) => {
        stream.write(block, error => (error ? reject(error) : resolve()))
      })
      progress.add(block.length)
    }
  } finally {
    progress.end()
  }
  const isVerified = checkSum(crc, await checksum)
  if (isVerified === 'differs') throw new Error('What was written has another checksum than the file')
  return { bytes: content.bytes, resumedBytes: 0, crc, isVerified: isVerified === 'equal' }
}

const slicesOf = async ({ connection, fileId }: DownloadOptions): Promise<SourceObject[]> => {
  const file = await connection.storage.file(fileId)
  return listSlices({ s3: connection.s3For(file), ...file.s3Path, isSliced: file.isSliced })
}

/** Throws `UserError` `storage.slicesNotJoined`, before a byte is written. */
const findContent = async (options: DownloadOptions): Promise<Content> => {
  const { columns } = options
  const slices = await slicesOf(options)
  const { form, open } = await joinedForm(slices, columns !== undefined)
  const line = columns ? Buffer.from(formatRecord(columns)) : Buffer.alloc(0)
  return contentOf([
    line.length > 0 && form === 'compressed with gzip' ? gzipSync(line) : line,
    ...slices.flatMap(slice => (open.has(slice) ? [slice, LINE_END] : [slice])),
  ])
}

const LINE_END = Buffer.from('\n')

const isOwn = (part: Part): part is Uint8Array => part instanceof Uint8Array

const bytesOf = (part: Part): number => (isOwn(part) ? part.length : part.bytes)

const contentOf = (parts: Part[]): Content => ({
  parts,
  bytes: parts.reduce((sum, part) => sum + bytesOf(part), 0),
  fingerprint: fingerprintOf(
    parts.map(part =>
      isOwn(part) ? Buffer.from(part).toString('base64') : [part.key, part.etag, part.bytes],
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

/** In as few system calls as it takes; `writeFile` of a handle writes 512 KiB at a time. */
const writeAll = async (handle: FileHandle, block: Uint8Array): Promise<void> => {
  for (let written = 0; written < block.length; ) written += (await handle.write(block, written)).bytesWritten
}

const checkSum = (crc: number, expected: number | undefined): 'equal' | 'differs' | 'unknown' => {
  if (expected === undefined) return 'unknown'
  return expected === crc ? 'equal' : 'differs'
}

const journalSchema = z.object({
  /** The request as one text. */
  request: z.string(),
  fileId: z.number(),
  columns: z.array(z.string()).optional(),
  /** Equal fingerprints mean equal bytes. */
  fingerprint: z.string().optional(),
})
type DownloadJournal = z.infer<typeof journalSchema>

/** A partial download: `<path>.part` holds the bytes so far, `<path>.part.json` says what they belong to. */
export const partialFile = (path: string) => {
  const part = `${path}.part`
  const journalPath = `${part}.json`
  return {
    /** The journal of an earlier attempt at the same request. */
    journal: async (request: string): Promise<DownloadJournal | undefined> => {
      const text = await readFile(journalPath, 'utf8').catch(() => undefined)
      if (text === undefined) return undefined
      const parsed = journalSchema.safeParse(parseJson(text))
      return parsed.success && parsed.data.request === request ? parsed.data : undefined
    },

    saveJournal: (journal: DownloadJournal): Promise<void> => writeFile(journalPath, JSON.stringify(journal)),

    /** Opens the part for appending, or empty. Resolves to the length and checksum of its content. */
    open: async (keepsContent: boolean) => {
      const handle = await open(part, keepsContent ? 'a' : 'w')
      let crc = 0
      let bytes = 0
      if (keepsContent) {
        for await (const chunk of createReadStream(part, { highWaterMark: 1 << 20 })) {
          crc = crc32(chunk, crc)
          bytes += chunk.length
        }
      }
      return { handle, crc, bytes }
    },

    finish: async (): Promise<void> => {
      await rename(part, path)
      await rm(journalPath, { force: true })
    },

    discard: async (): Promise<void> => {
      await rm(part, { force: true })
      await rm(journalPath, { force: true })
    },
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fingerprintOf = (content: unknown): string => hexDigest(JSON.stringify(content))

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
      return { crc: isOfWhole ? parseCrc32(head.ChecksumCRC32 ?? '') : undefined, bytes }
    },
    { concurrency: HEADS_IN_PARALLEL },
  )
  let whole = 0
  for (const { crc, bytes } of checksums) {
    if (crc === undefined) return undefined
    whole = combineCrc32(whole, crc, bytes)
  }
  return whole
}
