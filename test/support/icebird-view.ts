import { icebergManifests, icebergRead } from 'icebird'
import { parseLongJson } from '#lib/iceberg/metadata/long-json.ts'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'

const byteRange = /^bytes=(\d+)-(\d+)$/
const s3Host = /^https:\/\/([^/]+)\.s3\.amazonaws\.com\/(.*)$/

/** icebird asks S3 by HTTPS; these requests are answered by `read` meanwhile. */
const withObjects = async <Result>(read: ObjectReader, work: () => Promise<Result>): Promise<Result> => {
  const { fetch } = globalThis
  globalThis.fetch = async (input, init) => {
    const [, bucket, key] = s3Host.exec(String(input)) ?? []
    const range = byteRange.exec(new Headers(init?.headers).get('range') ?? '')
    const content = await read(`s3://${bucket}/${key}`)
    const part = range ? content.subarray(Number(range[1]), Number(range[2]) + 1) : content
    return new Response(new Uint8Array(part), { status: range ? 206 : 200 })
  }
  try {
    return await work()
  } finally {
    globalThis.fetch = fetch
  }
}

type Metadata = Parameters<typeof icebergManifests>[0]

/** The metadata as JSON, as icebird expects it: ids that are no safe numbers as `bigint`. */
const readMetadata = async (read: ObjectReader, location: string): Promise<Metadata> =>
  parseLongJson(Buffer.from(await read(location)).toString('utf8')) as Metadata

/**
 * The rows that icebird, a reader of others, finds in a table. It refuses a table without files of rows, which has no
 * rows: empty.
 */
export const icebirdRows = async (
  read: ObjectReader,
  location: string,
): Promise<Record<string, unknown>[]> => {
  const metadata = await readMetadata(read, location)
  return withObjects(read, async () => {
    if (metadata['current-snapshot-id'] === undefined) return []
    const manifests = await icebergManifests(metadata)
    const hasRows = manifests.some(({ entries }) =>
      entries.some(entry => entry.status !== 2 && !entry.data_file.content),
    )
    return hasRows ? icebergRead({ tableUrl: metadata.location, metadata }) : []
  })
}
