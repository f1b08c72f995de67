import { type Decision, type Item, type ItemView, type ItemWrite, together } from '../../items/item-table.ts'
import { aliasRecord, isAliasItem } from './aliases/alias-record.ts'
import { displayNameKey, leadsTo, nameFields, type TableHeads, tableKey } from './table-heads.ts'
import type { TableHead } from './table-record.ts'

/** What is written with a head in place of another one. `undefined`: there is none. */
export interface WithHead {
  writing(table: { bucketId: string; name: string }, before: unknown, head: unknown): readonly ItemWrite[]
}

type Named = Pick<TableHead, 'bucketId' | 'name' | 'displayName' | 'internalId'>

export type Versioned = Named & Pick<TableHead, 'revision'>

interface HeadWritesOptions {
  items: ItemView
  showsRows: TableHeads['showsRows']
  withHead?: WithHead | undefined
}

/** Heads of tables and aliases with what leads to them, for transactions. */
export const createHeadWrites = ({ items, showsRows, withHead }: HeadWritesOptions) => {
  const leading = ({ internalId, ...head }: Named): Promise<Decision> =>
    together(...leadsTo(head).map(key => items.writing(key, { name: head.name, internalId }, 'absent')))
  const misleading = ({ internalId, ...head }: Named): Promise<Decision> =>
    together(...leadsTo(head).map(key => items.writing(key, undefined, { internalId })))

  /** An alias whose source is gone is gone too, and must not keep its name from others. */
  const removeDeadAlias = async (key: ReturnType<typeof tableKey>): Promise<void> => {
    const item = await items.get(key)
    if (item && isAliasItem(item) && !(await showsRows(item)))
      await items.decide(await deleting(aliasRecord.parse(item)))
  }

  const making = async (head: Item & Named): Promise<Decision> => {
    await removeDeadAlias(tableKey(head))
    const written = items.writing(tableKey(head), head, 'absent')
    return together(written, leading(head), withHead?.writing(head, undefined, head) ?? [])
  }

  /** In place of the item that was read. Refused when it is not of this table and revision. */
  const moving = async (before: Item | undefined, head: Item & Versioned): Promise<Decision> => {
    const { internalId, revision } = head
    const named = before && nameFields.parse(before)
    if (named?.internalId !== internalId) return undefined
    const isRenamed = named.displayName !== head.displayName
    const metadataKey = before?.['metadataKey']
    // Snapshots expire under the same revision: what is written back must not name the metadata before.
    const isKept = typeof metadataKey === 'string' && head['metadataKey'] === metadataKey
    const when = { internalId, revision, ...(isKept && { metadataKey }) }
    return together(
      items.writing(tableKey(head), { ...head, revision: revision + 1 }, when),
      ...(isRenamed ? [renaming(named, head.displayName)] : []),
      withHead?.writing(head, before, head) ?? [],
    )
  }

  const renaming = ({ internalId, name, bucketId, displayName }: Named, next: string): Promise<Decision> =>
    together(
      items.writing(displayNameKey(bucketId, displayName), undefined, { internalId }),
      items.writing(displayNameKey(bucketId, next), { name, internalId }, 'absent'),
    )

  /** Of this very table or alias, if it is as it was read. */
  const deleting = (head: Versioned): Promise<Decision> => {
    const { internalId, revision } = head
    return together(
      items.writing(tableKey(head), undefined, { internalId, revision }),
      misleading(head),
      withHead?.writing(head, head, undefined) ?? [],
    )
  }

  return { making, moving, deleting }
}
