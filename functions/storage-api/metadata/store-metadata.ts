import pMap from 'p-map'
import { UserError } from '../../lib/errors/errors.ts'
import { bytesInReply } from '../../lib/json/bytes-in-reply.ts'
import type { NextId } from '../../lib/storage/db/ids.ts'
import type { NewMetadatum } from '../../lib/storage/metadata/metadata-store.ts'
import type { Services } from '../services/services.ts'

const WRITES_AT_ONCE = 8

/** Of all metadata of one table with its columns, one bucket and the like: the replies that show it have room for more. */
const MAX_BYTES = 1_000_000

/**
 * Stores each item. Of two with the same key the later one wins. New ones get their ids in the order of the request
 * before anything is written, because the writes run in parallel and finish in any order.
 *
 * Error: 400 `storage.metadata.invalidParameter` when the subject would have too many.
 */
export const storeMetadata = async (
  { metadata, nextId }: Pick<Services, 'metadata'> & { nextId: NextId },
  subject: string,
  given: NewMetadatum[],
): Promise<void> => {
  await refuseTooManyMetadata({ metadata }, subject, given)
  const last = new Map(given.map(each => [placeOf(each), each]))
  const withIds = Array.from(last.values(), each => ({ each, id: nextId() }))
  await pMap(withIds, ({ each, id }) => metadata.set(subject, each, id), { concurrency: WRITES_AT_ONCE })
}

const placeOf = ({ column, provider, key }: NewMetadatum) => JSON.stringify([column, provider, key])

/** Error: 400 `storage.metadata.invalidParameter` when the subject would have too many with these. */
export const refuseTooManyMetadata = async (
  { metadata }: Pick<Services, 'metadata'>,
  subject: string,
  given: readonly NewMetadatum[],
): Promise<void> => {
  const both = [...(await metadata.list(subject)), ...given]
  const all = new Map(both.map((each): [string, NewMetadatum] => [placeOf(each), each]))
  if (bytesInReply([...all.values()]) > MAX_BYTES)
    throw new UserError(
      'storage.metadata.invalidParameter',
      `Invalid metadata: all of them together may have ${MAX_BYTES.toLocaleString('en-US')} bytes. Delete some first.`,
    )
}
