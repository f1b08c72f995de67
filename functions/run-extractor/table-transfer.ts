import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import pMap from 'p-map'
import { z } from 'zod'
import { UserError } from '../lib/errors/errors.ts'
import { pathInside } from '../lib/paths/path-inside.ts'
import { RFC_4180 } from '../lib/table-engine/csv/csv-dialect.ts'
import { splitCsv } from '../lib/table-engine/csv/split-csv.ts'
import type { Run } from './run.ts'
import type { RunServices } from './services.ts'

const manifestSchema = z.object({ entries: z.array(z.object({ url: z.string() })) })

/** Brings the exported tables of a row to `folder` (`in/tables`), each with a header line and a manifest beside it. */
export const fetchInputs = async (
  { inputs }: Run,
  folder: string,
  { storage, s3With }: Pick<RunServices, 'storage' | 's3With'>,
): Promise<void> => {
  if (inputs.length > 0) await mkdir(folder, { recursive: true })
  for (const { destination, columns, fileId } of inputs) {
    if (fileId === undefined) throw new Error(`The input ${destination} has no file`)
    const file = await storage.file(fileId)
    const s3 = s3With(file.region, file.credentials)
    try {
      const { bucket, key } = file.s3Path
      const keys = file.isSliced ? await sliceKeys(s3, bucket, key) : [key]
      const path = pathInside(folder, destination)
      await pipeline(Readable.from(tableText(s3, bucket, keys, columns)), createWriteStream(path))
      await writeFile(`${path}.manifest`, JSON.stringify({ columns }))
    } finally {
      s3.destroy()
    }
  }
}

/** Slices hold no header (docs/reference/storage-api.md#sliced-files). */
async function* tableText(s3: S3Client, bucket: string, keys: readonly string[], columns: readonly string[]) {
  yield `${columns.map(column => `"${column.replaceAll('"', '""')}"`).join(',')}\n`
  for (const key of keys) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
    // In Node the SDK gives a stream of Node.
    const stored = Body as Readable
    yield* key.endsWith('.gz') ? stored.pipe(createGunzip()) : stored
  }
}

const sliceKeys = async (s3: S3Client, bucket: string, key: string): Promise<string[]> => {
  const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: `${key}manifest` }))
  const { entries } = manifestSchema.parse(JSON.parse((await Body?.transformToString()) ?? ''))
  return entries.map(({ url }) => {
    const prefix = `s3://${bucket}/`
    if (!url.startsWith(prefix))
      throw new UserError(
        'extractor.run.input',
        `The manifest of an input names "${url}", outside of its bucket`,
      )
    return url.slice(prefix.length)
  })
}

/** Memory of an upload: this many slices of this size, and one that is being cut. */
const SLICE_BYTES = 16 * 1024 ** 2
const SLICES_IN_PARALLEL = 3
const READ_BYTES = 1024 ** 2

interface TableUpload {
  /** CSV with a header line. */
  path: string
  name: string
}

/**
 * A table as a sliced file of the storage service: slices of whole records without a header
 * (docs/reference/storage-api.md#sliced-files). Its id.
 */
export const uploadTable = async (
  { path, name }: TableUpload,
  { storage, s3With }: Pick<RunServices, 'storage' | 's3With'>,
): Promise<number> => {
  const { size } = await stat(path)
  const file = await storage.prepareFile({
    name: `${name}.csv`,
    sizeBytes: size,
    tags: ['millrace-extract'],
    isSliced: true,
  })
  const { bucket, key, credentials, 'x-amz-server-side-encryption': encryption } = file.uploadParams
  const s3 = s3With(file.region, credentials)
  const put = async (suffix: string, body: string | Uint8Array) => {
    await s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: `${key}${suffix}`,
        Body: body,
        ...(encryption === undefined ? {} : { ServerSideEncryption: 'AES256' as const }),
      }),
    )
  }
  try {
    const suffixes = await pMap(
      numbered(sliceTable(path)),
      async ([index, slice]) => {
        const suffix = `${String(index).padStart(5, '0')}.csv`
        await put(suffix, slice)
        return suffix
      },
      { concurrency: SLICES_IN_PARALLEL },
    )
    const entries = suffixes.map(suffix => ({ url: `s3://${bucket}/${key}${suffix}` }))
    await put('manifest', JSON.stringify({ entries }))
    return file.id
  } finally {
    s3.destroy()
  }
}

/** The records without the header. A table without rows is one empty slice: some clients refuse a manifest without any. */
async function* sliceTable(path: string): AsyncGenerator<Uint8Array> {
  let slices = 0
  const text = createReadStream(path, { highWaterMark: READ_BYTES })
  for await (const chunk of splitCsv(text, { dialect: RFC_4180, chunkBytes: SLICE_BYTES, hasHeader: true })) {
    if (chunk.isHeader) continue
    slices++
    yield chunk.bytes
  }
  if (slices === 0) yield new Uint8Array()
}

async function* numbered<T>(items: AsyncIterable<T>): AsyncGenerator<[number, T]> {
  let index = 0
  for await (const item of items) yield [index++, item]
}
