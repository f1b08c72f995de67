import { createReadStream } from 'node:fs'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { pMapIterable } from 'p-map'
import { listObjects } from '../../functions/lib/cloud/list-objects.ts'
import {
  type DestinationObject,
  objectSettings,
} from '../../functions/lib/cloud/multipart/multipart-upload.ts'
import { withUnsignedBody } from '../../functions/lib/cloud/multipart/sent-body.ts'
import { md5Digest } from '../../functions/lib/digests.ts'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { parseCsvDialect } from '../../functions/lib/table-engine/csv/csv-dialect.ts'
import { openFile } from '../../functions/lib/table-engine/csv/open-file.ts'
import { parseRecords } from '../../functions/lib/table-engine/csv/parse-records.ts'
import { splitCsv } from '../../functions/lib/table-engine/csv/split-csv.ts'
import type { Progress } from '../shell/progress.ts'

const MiB = 1024 ** 2
/** Memory holds one slice per parallel upload, and the one being read. */
const SLICE_BYTES = 16 * MiB
const SLICES_IN_PARALLEL = 4

interface UploadSlicesOptions {
  /** Its key is the prefix of all slices. */
  destination: DestinationObject
  /** When given, the file has no header. */
  columns: string[] | undefined
  delimiter: string | undefined
  enclosure: string | undefined
  progress: Progress
}

/**
 * Uploads a local CSV file as slices of whole records without a header, and their manifest. Resolves to the columns.
 *
 * Records are checked on the way: a broken file is refused with its line before anything is loaded. Slices of an earlier
 * attempt are compared, not sent again.
 */
export const uploadSlices = async (
  path: string,
  { destination, columns: givenColumns, delimiter, enclosure, progress }: UploadSlicesOptions,
): Promise<{ columns: string[]; slices: number; resumedBytes: number }> => {
  const dialect = parseCsvDialect({ delimiter, enclosure })
  const { bytes } = await openFile(createReadStream(path, { highWaterMark: MiB }), path)
  const chunks = splitCsv(bytes, {
    dialect,
    chunkBytes: SLICE_BYTES,
    hasHeader: givenColumns === undefined,
    columns: givenColumns?.length,
  })
  const known = await listTags(destination)
  let columns = givenColumns
  let number = 0
  let resumedBytes = 0

  const slices = async function* () {
    for await (const chunk of chunks) {
      if (chunk.isHeader) columns = [...parseRecords(chunk.bytes, dialect)][0]
      else yield { bytes: chunk.bytes, name: `_${String(number++).padStart(6, '0')}` }
    }
  }
  const sent = pMapIterable(
    slices(),
    async ({ bytes, name }) => {
      const isSent = known.get(name) === md5Digest(bytes)
      if (isSent) resumedBytes += bytes.length
      else await put(destination, name, bytes)
      progress.add(bytes.length)
      return name
    },
    { concurrency: SLICES_IN_PARALLEL },
  )
  const names: string[] = []
  for await (const name of sent) names.push(name)
  if (!columns) throw new UserError('invalidCsv', `${path} is empty. It must at least have a header.`)

  const { bucket, key } = destination
  const entries = names.map(name => ({ url: `s3://${bucket}/${key}${name}` }))
  await put(destination, 'manifest', Buffer.from(JSON.stringify({ entries })))
  return { columns, slices: names.length, resumedBytes }
}

const put = (destination: DestinationObject, name: string, body: Uint8Array) =>
  destination.s3.send(
    withUnsignedBody(
      new PutObjectCommand({
        ...objectSettings({ ...destination, key: destination.key + name }),
        Body: body,
      }),
    ),
  )

/** MD5 by slice: the ETag of an object that was uploaded in one piece. */
const listTags = async ({ s3, bucket, key }: DestinationObject): Promise<Map<string, string>> => {
  const tags = new Map<string, string>()
  for await (const { key: slice, etag } of listObjects(s3, { bucket, prefix: key }))
    tags.set(slice.slice(key.length), etag.replaceAll('"', ''))
  return tags
}
