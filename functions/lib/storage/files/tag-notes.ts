import { hexDigest } from '../../digests.ts'
import { idSortKey } from '../db/ids.ts'
import { expiringIn } from '../db/item-expiry.ts'
import type { ItemTable } from '../db/item-table.ts'
import { type IdRange, queryNewest } from '../db/spread.ts'

interface TaggedFile {
  id: number
  tags: readonly string[]
  /** Default: never. */
  expiry?: Date | undefined
}

/** How long after its expiry a file can still be listed. */
const LISTED_DAYS = 120

/**
 * Which files have a tag. A note is there before the file has the tag and goes after it, so whoever reads passes over notes
 * whose file has lost it.
 *
 * @param kind `FILES`, or that of a branch
 */
export const createTagNotes = (items: ItemTable, kind: string) => {
  const partitionOf = (tag: string): string => `${kind}#TAG#${hexDigest(tag)}`

  const keysOf = ({ id, tags }: TaggedFile) =>
    [...new Set(tags)].map(tag => ({ pk: partitionOf(tag), sk: idSortKey(id) }))

  return {
    /** Notes the tags of a file. */
    async add(file: TaggedFile): Promise<void> {
      const { id, expiry } = file
      const note = { id, ...(expiry && expiringIn(LISTED_DAYS, expiry)) }
      await items.putAll(keysOf(file).map(key => ({ ...note, ...key })))
    },

    async remove(file: TaggedFile): Promise<void> {
      for (const key of keysOf(file)) await items.delete(key)
    },

    /** Ids of files that may have one of the tags, newest first. */
    async *idsOf(tags: readonly string[], range: IdRange): AsyncGenerator<number> {
      let last: unknown
      for await (const { id } of queryNewest(items, [...new Set(tags)].map(partitionOf), range)) {
        if (id !== last) yield Number(id)
        last = id
      }
    },
  }
}
