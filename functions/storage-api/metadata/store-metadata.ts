import pMap from 'p-map'
import type { NextId } from '../../lib/storage/db/ids.ts'
import type { NewMetadatum } from '../../lib/storage/metadata/metadata-store.ts'
import type { Services } from '../services.ts'

const WRITES_AT_ONCE = 8

/**
 * Stores each item. Of two with the same key the later one wins. New ones get their ids in the order of the request
 * before anything is written, because the writes run in parallel and finish in any order.
 */
export const storeMetadata = async (
  { metadata, nextId }: Pick<Services, 'metadata'> & { nextId: NextId },
  subject: string,
  given: NewMetadatum[],
): Promise<void> => {
  const last = new Map(given.map(each => [JSON.stringify([each.column, each.provider, each.key]), each]))
  const withIds = Array.from(last.values(), each => ({ each, id: nextId() }))
  await pMap(withIds, ({ each, id }) => metadata.set(subject, each, id), { concurrency: WRITES_AT_ONCE })
}
