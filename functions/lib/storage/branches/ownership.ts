import { TransientError } from '../../errors/errors.ts'
import type { Item, ItemKey, ItemWrite } from '../../items/item-table.ts'
import { parseTableId } from '../../wire/storage-ids.ts'
import { bucketKey, bucketNameKey } from '../buckets/bucket-key.ts'
import { bucketRecord } from '../buckets/bucket-store.ts'
import type { NextId } from '../db/ids.ts'
import { type MetadataStore, metadataSubject } from '../metadata/metadata-store.ts'
import { leadsTo, nameFields, tableKey } from '../tables/table-heads.ts'
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
 * Copies the head of a bucket or table, what leads to it and its metadata, in one transaction: of two writers that begin at the
 * same time one makes the copy, and both change that one. A table's rows are not copied, because its files never change.
 *
 * A copy has an id of its own, under which its metadata are written before; they keep their ids, which a client may have
 * read already. So the metadata of the writer that came late disturb nobody, and it removes them. After a crash they
 * stay, unused.
 */
export const createOwnership = (view: BranchItems, metadata: MetadataStore, nextId: NextId): Ownership => {
  /** Writes copies of items as the branch's own. */
  type Adopting = (key: ItemKey, copy: Item) => ItemWrite | Promise<ItemWrite>

  const copyAll = async (
    subject: { from: string; to: string },
    copies: readonly [ItemKey, Item][],
    adopting: Adopting,
  ): Promise<boolean> => {
    await metadata.copy(subject.from, subject.to)
    const writes = await Promise.all(copies.map(([key, copy]) => adopting(key, copy)))
    const isCopied = await view.decide(writes)
    if (!isCopied) await metadata.clear(subject.to)
    return isCopied
  }

  const copyBucket = (item: Item, adopting: Adopting): Promise<boolean> => {
    const original = bucketRecord.parse(item)
    const { id, displayName } = original
    const copy = { ...original, incarnation: nextId() }
    const subject = { from: metadataSubject.bucket(original), to: metadataSubject.bucket(copy) }
    return copyAll(
      subject,
      [
        [bucketKey(id), copy],
        [bucketNameKey(original), { id, displayName }],
      ],
      adopting,
    )
  }

  const copyTable = (item: Item, adopting: Adopting): Promise<boolean> => {
    const named = nameFields.parse(item)
    const { name, internalId: copyOf } = named
    const internalId = nextId()
    const subject = { from: metadataSubject.table(named), to: metadataSubject.table({ internalId }) }
    const leads = leadsTo(named).map((key): [ItemKey, Item] => [key, { name, internalId, copyOf }])
    return copyAll(subject, [[tableKey(named), { ...item, internalId, copyOf }], ...leads], adopting)
  }

  const adoptBucket = async (bucketId: string): Promise<void> => {
    const item = await view.unowned(bucketKey(bucketId))
    if (item) await copyBucket(item, view.adopting)
  }

  return {
    bucket: adoptBucket,

    async table(tableId) {
      const place = parseTableId(tableId)
      const item = place && (await view.unowned(tableKey(place)))
      if (!item) return
      await adoptBucket(place.bucketId)
      await copyTable(item, view.adopting)
    },

    async pull(tableId) {
      const place = parseTableId(tableId)
      const item = place && (await view.shared(tableKey(place)))
      const bucket = place && (await view.shared(bucketKey(place.bucketId)))
      if (!item || !bucket) return false
      await adoptBucket(place.bucketId)
      const isDeleted = (await view.state(bucketKey(place.bucketId))) === 'deleted'
      const hasBucket = !isDeleted || (await copyBucket(bucket, view.adoptingAgain))
      if (hasBucket && (await copyTable(item, view.adoptingAgain))) return true
      throw new TransientError(
        'storage.tables.moved',
        `The table "${tableId}" was changed while it was pulled.`,
      )
    },
  }
}
