import pMap from 'p-map'
import type { LoadPlace } from '../lib/distributed/load-documents.ts'
import { isGzip } from '../lib/storage/files/list-slices.ts'
import { groupBytesFor, packGroups } from './pack-groups.ts'
import type { StageLoadServices } from './services.ts'

const READS = 16

/** Compressed slices are some times larger when they are uncompressed. */
const COMPRESSION = 4

/** Finds the slices that are compressed: nothing but their start says so. Resolves to groups of them. */
export const openSlices = async (
  load: LoadPlace,
  { s3, documents, rangeBytes }: StageLoadServices,
): Promise<number[][]> => {
  const { source } = await documents.read(load, 'request')
  const { slices } = source
  const areCompressed = await pMap(slices, slice => isGzip([{ s3, ...slice }]), { concurrency: READS })
  const compressed = slices.map((_, index) => index).filter(index => areCompressed[index])
  const bytesOf = (index: number) => slices[index]?.bytes ?? 0
  const bytes = compressed.reduce((sum, index) => sum + bytesOf(index), 0)
  const groups = packGroups(compressed, bytesOf, groupBytesFor(bytes, rangeBytes / COMPRESSION))
  await documents.write(load, 'opened', { compressed, groups })
  return groups
}
