import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import { GetObjectCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import { z } from 'zod'
import type { BucketDocuments } from '../lib/cloud/bucket-documents.ts'
import { completeUpload, createUpload, objectSettings } from '../lib/cloud/multipart/multipart-upload.ts'
import { withUnsignedBody } from '../lib/cloud/multipart/sent-body.ts'
import { formatCrc32 } from '../lib/combine-crc.ts'
import { pathInside } from '../lib/paths/path-inside.ts'
import { EXTRACTED_TAG } from '../lib/storage/files/extracted-tag.ts'
import type { RunServices } from './services.ts'

/** Memory of an upload: this many parts of this size. */
const PART_BYTES = 16 * 1024 ** 2
const PARTS_IN_PARALLEL = 4

/** The folders of one row on the function's disk. */
export interface LegFolder {
  spool: string
  /** The tables that the row reads. Of the spool, since their exports may expire before the row ends. */
  inputs: string
  outputs: string
  /** Says which checkpoint the spool stands at, for the next leg if it runs in this container. */
  leaveAt(checkpointKey: string): Promise<void>
  remove(): Promise<void>
}

/** For where one leg at a time runs: what other runs left only takes room. */
export const removeOtherRuns = async (scratchFolder: string, runId: string): Promise<void> => {
  const names = await readdir(scratchFolder).catch(() => [])
  for (const name of names.filter(each => !each.startsWith(`${runId}-`)))
    await rm(pathInside(scratchFolder, name), { recursive: true, force: true })
}

/**
 * Opens the folder of a row. `isAsLeft`: the spool is as the leg that wrote `checkpointKey` left it here, so it need not
 * be fetched. From here on it counts as touched, until `leaveAt`: a leg that is killed leaves no spool to trust.
 */
export const openLegFolder = async (
  scratchFolder: string,
  name: string,
  checkpointKey: string | null,
): Promise<LegFolder & { isAsLeft: boolean }> => {
  const root = pathInside(scratchFolder, name)
  const mark = join(root, 'checkpoint')
  const spool = join(root, 'spool')
  const leftAt = await readFile(mark, 'utf8').catch(() => undefined)
  const isAsLeft = checkpointKey !== null && leftAt === checkpointKey
  await rm(mark, { force: true })
  if (!isAsLeft) await rm(root, { recursive: true, force: true })
  await mkdir(spool, { recursive: true })
  return {
    isAsLeft,
    spool,
    inputs: join(spool, 'in'),
    outputs: join(root, 'out', 'tables'),
    leaveAt: key => writeFile(mark, key),
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

/**
 * Keeps a spool folder below `prefix`. The extractor only ever appends to the files that it spooled before, so what
 * `before` lists is there already and only the rest is written, under keys that no other attempt has.
 */
export const saveSpool = async (
  folder: string,
  before: readonly SpooledFile[],
  prefix: string,
  { s3, bucket }: BucketDocuments,
): Promise<SpooledFile[]> => {
  const known = new Map(before.map(file => [file.path, file]))
  const files = await Promise.all(
    (await filesIn(folder)).map(async path => {
      const { size: bytes } = await stat(spooled(folder, path))
      const earlier = known.get(path)
      const kept = earlier !== undefined && earlier.bytes <= bytes ? earlier : { bytes: 0, parts: [] }
      const added = rangesOf(kept.bytes, bytes).map(range => ({ ...range, key: `${prefix}${randomUUID()}` }))
      return { path, bytes, parts: [...kept.parts, ...added], added }
    }),
  )
  await pMap(
    files.flatMap(({ path, added }) => added.map(part => ({ path, ...part }))),
    async ({ path, key, start, bytes }) => {
      const body = await readRange(spooled(folder, path), start, bytes)
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }))
    },
    { concurrency: PARTS_IN_PARALLEL },
  )
  return files.map(({ added: _, ...file }) => file)
}

/** Makes a spool folder as it was when these files were saved. */
export const restoreSpool = async (
  folder: string,
  files: readonly SpooledFile[],
  { s3, bucket }: BucketDocuments,
): Promise<void> => {
  for (const { path, parts } of files) {
    const target = spooled(folder, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, '')
    await pMap(
      parts,
      async ({ key, start, bytes }) => {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
        const out = createWriteStream(target, { flags: 'r+', start })
        await pipeline(Body as Readable, out) // In Node the SDK gives a stream of Node.
        if (out.bytesWritten !== bytes)
          throw new Error(`S3 sent ${out.bytesWritten} of the ${bytes} bytes of ${key}`)
      },
      { concurrency: PARTS_IN_PARALLEL },
    )
  }
}

const spooled = (folder: string, path: string): string => pathInside(folder, ...path.split('/'))

const filesIn = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

const rangesOf = (start: number, end: number): { start: number; bytes: number }[] => {
  const ranges: { start: number; bytes: number }[] = []
  for (let at = start; at < end; at += PART_BYTES)
    ranges.push({ start: at, bytes: Math.min(PART_BYTES, end - at) })
  return ranges
}

const readRange = async (path: string, start: number, bytes: number): Promise<Buffer> => {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, start)
  if (bytesRead < bytes) throw new Error(`${path} ends before byte ${start + bytes}`)
  return buffer
}

/** A file of the spool as objects in the work bucket, in order. */
const spooledFile = z.object({
  /** Relative to the folder. */
  path: z.string(),
  bytes: z.number(),
  parts: z.array(z.object({ key: z.string(), start: z.number(), bytes: z.number() })),
})

type SpooledFile = z.infer<typeof spooledFile>

/** What a leg leaves to the next. */
export const legCheckpoint = z.object({
  /** What logins gave is in it, and the address of a next page may be a secret. */
  sealedCheckpoint: z.string(),
  files: z.array(spooledFile),
  /** All are read. */
  isRead: z.boolean().default(false),
})

export type LegCheckpoint = z.infer<typeof legCheckpoint>

interface TableUpload {
  /** CSV with a header line. */
  path: string
  name: string
}

/** Makes a file of the storage service of a table, part by part. Its id. */
export const uploadTable = async (
  { path, name }: TableUpload,
  { storage, s3With }: Pick<RunServices, 'storage' | 's3With'>,
): Promise<number> => {
  const { size } = await stat(path)
  const file = await storage.prepareFile({ name: `${name}.csv`, sizeBytes: size, tags: [EXTRACTED_TAG] })
  const { bucket, key, credentials, 'x-amz-server-side-encryption': encryption } = file.uploadParams
  const s3 = s3With(file.region, credentials)
  const object = { s3, bucket, key, serverSideEncryption: encryption }
  try {
    if (size <= PART_BYTES) {
      await s3.send(new PutObjectCommand({ ...objectSettings(object), Body: await readFile(path) }))
      return file.id
    }
    const upload = await createUpload(object)
    const parts = await pMap(
      rangesOf(0, size),
      async ({ start, bytes }, index) => {
        const body = await readRange(path, start, bytes)
        const checksum = formatCrc32(crc32(body))
        const partNumber = index + 1
        const part = { Bucket: bucket, Key: key, UploadId: upload.uploadId, PartNumber: partNumber }
        const sent = new UploadPartCommand({ ...part, ChecksumCRC32: checksum, Body: body })
        const { ETag: etag = '' } = await s3.send(withUnsignedBody(sent))
        return { partNumber, etag, bytes, checksum }
      },
      { concurrency: PARTS_IN_PARALLEL },
    )
    await completeUpload(upload, parts)
    return file.id
  } finally {
    s3.destroy()
  }
}
