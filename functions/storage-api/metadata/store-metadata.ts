import pMap from 'p-map'
import type { NewMetadatum } from '../../lib/storage/metadata/metadata-store.ts'
import type { Services } from '../services.ts'

const WRITES_AT_ONCE = 8

/**
 * Stores each; of two with the same key the later one holds. New ones get their ids in the order of the request, before
 * the first is written: the writes run at once, and any of them may come first.
 */
export const storeMetadata = async (
  { metadata, nextId }: Pick<Services, 'metadata' | 'nextId'>,
  subject: string,
  given: NewMetadatum[],
): Promise<void> => {
  const last = new Map(given.map(each => [JSON.stringify([each.column, each.provider, each.key]), each]))
  const withIds = Array.from(last.values(), each => ({ each, id: nextId() }))
  await pMap(withIds, ({ each, id }) => metadata.set(subject, each, id), { concurrency: WRITES_AT_ONCE })
}
