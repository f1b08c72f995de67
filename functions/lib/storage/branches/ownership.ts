import { bucketKey } from '../buckets/bucket-key.ts'
import { bucketRecord } from '../buckets/bucket-store.ts'
import type { NextId } from '../db/ids.ts'
import { type MetadataStore, metadataSubject } from '../metadata/metadata-store.ts'
import { parseTableId } from '../storage-ids.ts'
import { tableKey } from '../tables/table-store.ts'
import type { BranchItems } from './branch-items.ts'

/**
 * Makes what a branch is about to change its own. Idempotent: what is the branch's own already, or what it does not see,
 * is left as it is.
 */
export interface Ownership {
  bucket(bucketId: string): Promise<void>
  /** The bucket becomes the branch's own too: the table outlives the default branch's bucket. */
  table(tableId: string): Promise<void>
}

/** Everything that the default branch sees is its own. */
export const defaultOwnership: Ownership = { bucket: async () => {}, table: async () => {} }

/**
 * Copies the head of a bucket or table with its metadata, in one conditional write: of two writers that begin at the
 * same time one makes the copy, and both change that one. A table's rows are not copied, because its files never change.
 *
 * A copy has an id of its own, under which its metadata are written before; they keep their ids, which a client may have
 * read already. So the metadata of the writer that came late
 * disturb nobody, and it removes them. After a crash they stay, unused.
 */
export const createOwnership = (view: BranchItems, metadata: MetadataStore, nextId: NextId): Ownership => {
  const adoptBucket = async (bucketId: string): Promise<void> => {
    const key = bucketKey(bucketId)
    const item = await view.unowned(key)
    if (!item) return
    const original = bucketRecord.parse(item)
    const copy = { ...original, deletingUntil: null, copyId: nextId() }
    const subject = metadataSubject.bucket(copy)
    await metadata.copy(metadataSubject.bucket(original), subject)
    if (!(await view.adopt(key, copy))) await metadata.clear(subject)
  }

  return {
    bucket: adoptBucket,

    async table(tableId) {
      const place = parseTableId(tableId)
      const item = place && (await view.unowned(tableKey(place)))
      if (!item) return
      await adoptBucket(place.bucketId)
      const internalId = nextId()
      const subject = metadataSubject.table({ internalId })
      const copyOf = Number(item['internalId'])
      await metadata.copy(metadataSubject.table({ internalId: copyOf }), subject)
      if (!(await view.adopt(tableKey(place), { ...item, internalId, copyOf }))) await metadata.clear(subject)
    },
  }
}
