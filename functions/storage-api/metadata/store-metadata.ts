import pMap from 'p-map'
import type { NewMetadatum } from '../../lib/storage/metadata/metadata-store.ts'
import type { Services } from '../services.ts'

const WRITES_AT_ONCE = 8

/** Stores each; of two with the same key the later one holds. */
export const storeMetadata = async (
  { metadata, nextId }: Pick<Services, 'metadata' | 'nextId'>,
  subject: string,
  given: NewMetadatum[],
): Promise<void> => {
  const last = new Map(given.map(each => [JSON.stringify([each.column, each.provider, each.key]), each]))
  await pMap(last.values(), each => metadata.set(subject, each, nextId), { concurrency: WRITES_AT_ONCE })
}
