import pMap from 'p-map'
import { sliceTooLarge } from '../lib/distributed/gzip-limits.ts'
import type { LoadDocument } from '../lib/distributed/load-documents.ts'
import type { LoadPlace } from '../lib/distributed/load-place.ts'
import { groupBytesFor, packGroups } from '../lib/distributed/pack-groups.ts'
import { refusalOf } from '../lib/distributed/refusal.ts'
import { UserError } from '../lib/errors/errors.ts'
import { isGzip } from '../lib/storage/files/list-slices.ts'
import { nameInSentence, sliceName } from '../lib/table-engine/source-columns.ts'
import type { SplitWorkServices } from './services.ts'

const READS = 16

/** Compressed slices are some times larger when they are uncompressed. */
const COMPRESSION = 4

/** Finds the slices that are compressed: nothing but their start says so. Resolves to groups of them, or of all that are Parquet. */
export const openSlices = async (load: LoadPlace, services: SplitWorkServices): Promise<number[][]> => {
  const { documents } = services
  const { source } = await documents.read(load, 'request')
  try {
    const opened = await findCompressed(source, services)
    refuseLarge(opened.compressed, source, services)
    await documents.write(load, 'opened', opened)
    return opened.groups
  } catch (error) {
    await documents.write(load, 'opened', { refusal: refusalOf(error) })
    return []
  }
}

/** On the disk of a function is a slice of Parquet whole, with the text of one of its row groups. */
const PARQUET_BYTES = 4 * 1024 ** 3

/** Throws `UserError` `storage.load.sliceTooLarge` for the first compressed slice that takes one function too long. */
const refuseLarge = (
  compressed: number[],
  source: LoadDocument<'request'>['source'],
  { gzipLimits }: SplitWorkServices,
): void => {
  for (const index of compressed) {
    const bytes = source.slices[index]?.bytes ?? 0
    const name = nameInSentence(sliceName(source, index))
    if (source.isParquet && bytes > PARQUET_BYTES)
      throw new UserError(
        'storage.load.sliceTooLarge',
        `${name} has ${bytes} bytes of Parquet or JSON lines, and one function reads ${PARQUET_BYTES}. Write it as several slices.`,
      )
    if (bytes > gzipLimits.compressedBytes) throw sliceTooLarge(name, `has ${bytes} bytes`, gzipLimits)
  }
}

const findCompressed = async (
  { slices, isParquet = false }: LoadDocument<'request'>['source'],
  { s3, rangeBytes }: SplitWorkServices,
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
