import { TransientError } from '../../errors/errors.ts'
import type { Item } from '../../items/item-table.ts'
import { parseTableId } from '../../wire/storage-ids.ts'
import { bucketKey } from '../buckets/bucket-key.ts'
import { bucketRecord } from '../buckets/bucket-store.ts'
import type { NextId } from '../db/ids.ts'
import { type MetadataStore, metadataSubject } from '../metadata/metadata-store.ts'
import { tableKey } from '../tables/table-heads.ts'
import type { BranchItems } from './branch-items.ts'

/**
 * Makes what a branch is about to change its own. Idempotent: what is the branch's own already, or what it does not see,
 * is left as it is.
 */
interface Ownership {
  bucket(bucketId: string): Promise<void>
  /** The bucket becomes the branch's own too: the table outlives the default branch's bucket. */
  table(tableId: string): Promise<void>
  /**
   * Copies the default branch's table as it is now, in place of what the branch has. Resolves to false when there is
   * none.
   */
  pull(tableId: string): Promise<boolean>
}

/** Everything that the default branch sees is its own. */
export const defaultOwnership: Ownership = {
  bucket: async () => {},
  table: async () => {},
  pull: async () => false,
}

/**
 * Copies the head of a bucket or table with its metadata, in one conditional write: of two writers that begin at the
 * same time one makes the copy, and both change that one. A table's rows are not copied, because its files never change.
 *
 * A copy has an id of its own, under which its metadata are written before; they keep their ids, which a client may have
 * read already. So the metadata of the writer that came late disturb nobody, and it removes them. After a crash they
 * stay, unused.
 */
export const createOwnership = (view: BranchItems, metadata: MetadataStore, nextId: NextId): Ownership => {
  type Put = BranchItems['adopt']

  const copyBucket = async (item: Item, put: Put): Promise<boolean> => {
    const original = bucketRecord.parse(item)
    const copy = { ...original, deletingUntil: null, copyId: nextId() }
    const subject = metadataSubject.bucket(copy)
    await metadata.copy(metadataSubject.bucket(original), subject)
    const isCopied = await put(bucketKey(original.id), copy)
    if (!isCopied) await metadata.clear(subject)
    return isCopied
  }

  const copyTable = async (place: { bucketId: string; name: string }, item: Item, put: Put) => {
    const internalId = nextId()
    const copyOf = Number(item['internalId'])
    const subject = metadataSubject.table({ internalId })
    await metadata.copy(metadataSubject.table({ internalId: copyOf }), subject)
    const isCopied = await put(tableKey(place), { ...item, internalId, copyOf })
    if (!isCopied) await metadata.clear(subject)
    return isCopied
  }

  const adoptBucket = async (bucketId: string): Promise<void> => {
    const item = await view.unowned(bucketKey(bucketId))
    if (item) await copyBucket(item, view.adopt)
  }

  return {
    bucket: adoptBucket,

    async table(tableId) {
      const place = parseTableId(tableId)
      const item = place && (await view.unowned(tableKey(place)))
      if (!item) return
      await adoptBucket(place.bucketId)
      await copyTable(place, item, view.adopt)
    },

    async pull(tableId) {
      const place = parseTableId(tableId)
      const item = place && (await view.shared(tableKey(place)))
      const bucket = place && (await view.shared(bucketKey(place.bucketId)))
      if (!item || !bucket) return false
      await adoptBucket(place.bucketId)
      const isDeleted = (await view.state(bucketKey(place.bucketId))) === 'deleted'
      const hasBucket = !isDeleted || (await copyBucket(bucket, view.adoptAgain))
      if (hasBucket && (await copyTable(place, item, view.adoptAgain))) return true
      throw new TransientError(
        'storage.tables.moved',
        `The table "${tableId}" was changed while it was pulled.`,
      )
    },
  }
}
