import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { pipeline as join, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { z } from 'zod'
import { UserError } from '../lib/errors/errors.ts'
import { pathInside } from '../lib/paths/path-inside.ts'
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
    yield* key.endsWith('.gz') ? unzipped(stored) : stored
  }
}

/** What breaks the connection breaks this stream, too: `pipe` alone would end the process with it. */
const unzipped = (stored: Readable): Readable => {
  const text = createGunzip()
  join(stored, text, () => {}) // Whoever reads the text gets the error.
  return text
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
