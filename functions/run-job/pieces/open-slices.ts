import { Readable } from 'node:stream'
import { Upload } from '@aws-sdk/lib-storage'
import pMap from 'p-map'
import type { LoadDocument } from '../../lib/distributed/load-documents.ts'
import { sliceTooLarge } from '../../lib/distributed/load-limits.ts'
import { type LoadPlace, loadPrefix } from '../../lib/distributed/load-place.ts'
import { refusalOf } from '../../lib/distributed/refusal.ts'
import { UserError } from '../../lib/errors/errors.ts'
import { groupBytesFor, packGroups } from '../../lib/pack-groups.ts'
import { isGzip } from '../../lib/storage/files/list-slices.ts'
import { type OpenedFile, openFile } from '../../lib/table-engine/csv/open-file.ts'
import { tableOfJson } from '../../lib/table-engine/csv/rows-of-json.ts'
import { mixedSlices } from '../../lib/table-engine/parquet/parquet-source.ts'
import { nameInSentence, sliceName } from '../../lib/table-engine/source-columns.ts'
import type { PieceServices } from './piece.ts'

const READS = 16

/** Compressed slices are some times larger when they are uncompressed. */
const COMPRESSION = 4

/** Finds the slices that are compressed: nothing but their start says so. Puts them, or all that are Parquet, into groups. */
export const openSlices = async (load: LoadPlace, services: PieceServices): Promise<void> => {
  const { documents } = services
  const { source } = await documents.read(load, 'request')
  try {
    const opened = await findCompressed(source, services)
    refuseLarge(opened.compressed, source, services)
    await documents.write(load, 'opened', opened)
  } catch (error) {
    await documents.write(load, 'opened', { refusal: refusalOf(error) })
  }
}

/** On the disk of a function is a slice of Parquet whole, with the text of one of its row groups. */
const PARQUET_BYTES = 4 * 1024 ** 3

/** Throws `UserError` `storage.load.sliceTooLarge` for the first compressed slice that takes one function too long. */
const refuseLarge = (
  compressed: number[],
  source: LoadDocument<'request'>['source'],
  { gzipLimits }: PieceServices,
): void => {
  for (const index of compressed) {
    const bytes = source.slices[index]?.bytes ?? 0
    const name = nameInSentence(sliceName(source, index))
    if (source.isParquet && bytes > PARQUET_BYTES)
      throw new UserError(
        'storage.load.sliceTooLarge',
        `${name} has ${bytes} bytes of Parquet or JSON, and one function reads ${PARQUET_BYTES}. Write it as several slices.`,
      )
    if (bytes > gzipLimits.compressedBytes) throw sliceTooLarge(name, `has ${bytes} bytes`, gzipLimits)
  }
}

const findCompressed = async (
  { slices, isParquet = false }: LoadDocument<'request'>['source'],
  { s3, rangeBytes }: PieceServices,
): Promise<{ compressed: number[]; groups: number[][] }> => {
  const areCompressed = await pMap(slices, async slice => isParquet || isGzip([{ s3, ...slice }]), {
    concurrency: READS,
  })
  const compressed = slices.map((_, index) => index).filter(index => areCompressed[index])
  const bytesOf = (index: number) => slices[index]?.bytes ?? 0
  const bytes = compressed.reduce((sum, index) => sum + bytesOf(index), 0)
  return {
    compressed,
    groups: packGroups(compressed, bytesOf, groupBytesFor(bytes, rangeBytes / COMPRESSION)),
  }
}

/** In memory are two parts and the one that is being filled. With 10,000 parts the largest copy has 312 GiB. */
const PART_BYTES = 32 * 1024 * 1024
const PARTS_AT_ONCE = 2

export const uncompressedKey = (load: LoadPlace, slice: number): string =>
  `${loadPrefix(load)}uncompressed/${slice}.csv`

/** Gzip cannot be cut, nor can Parquet: copies each slice of a group, as CSV and streamed once. */
export const uncompressGroup = async (
  load: LoadPlace,
  item: number,
  services: PieceServices,
): Promise<void> => {
  const opened = await services.documents.read(load, 'opened')
  if ('refusal' in opened) throw new Error('A load that cannot be opened has nothing to uncompress')
  for (const slice of opened.groups[item] ?? []) await uncompress(load, slice, services)
}

const uncompress = async (
  load: LoadPlace,
  index: number,
  { s3, tablesBucket, files, documents, gzipLimits, tableEngine }: PieceServices,
): Promise<void> => {
  const { source } = await documents.read(load, 'request')
  const slice = source.slices[index]
  if (!slice) throw new Error(`The load has no slice ${index}`)
  const name = nameInSentence(sliceName(source, index))
  let bytes = 0
  const counted = async function* (stored: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of stored) {
      bytes += piece.length
      if (bytes > gzipLimits.uncompressedBytes)
        throw sliceTooLarge(name, 'is too large when it is uncompressed', gzipLimits)
      yield piece
    }
  }
  const store = async (content: AsyncIterable<Uint8Array>): Promise<void> => {
    await new Upload({
      client: s3,
      params: {
        Bucket: tablesBucket,
        Key: uncompressedKey(load, index),
        Body: Readable.from(counted(content), { objectMode: false }),
      },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    }).done()
  }
  try {
    const open = (): Promise<OpenedFile> => openFile(files.readDataFile(slice), name)
    const opened = await open()
    const { form } = opened
    if (form !== undefined && (form !== 'csv') !== (source.isParquet === true)) {
      await opened.close()
      throw mixedSlices(name)
    }
    const engine = form === 'parquet' ? await tableEngine() : undefined
    const { warnings = [], types } = (await engine?.readParquet(opened.bytes, name, store)) ?? {}
    if (form === 'json') {
      let unread: OpenedFile | undefined = opened
      const rows = async () => {
        const file = unread ?? (await open())
        unread = undefined
        return file.rows()
      }
      await store((await tableOfJson(rows, 1)).records(0))
    } else if (!engine) await store(opened.bytes)
    await documents.write(
      load,
      'uncompressed',
      { bytes, isJson: form === 'json', ...(index === 0 && { warnings, types }) },
      index,
    )
  } catch (error) {
    await documents.write(load, 'uncompressed', { refusal: refusalOf(error) }, index)
  }
}
