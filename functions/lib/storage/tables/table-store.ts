import {
  type Decision,
  type Item,
  type ItemView,
  type ItemWrite,
  startingWith,
} from '../../items/item-table.ts'
import { partitionOfBucket, tablePrefix } from '../buckets/bucket-key.ts'
import { type AliasRecord, aliasRecord, isAliasItem } from './aliases/alias-record.ts'
import type { ReadableTable } from './aliases/resolve-alias.ts'
import type { ContentThen } from './content/content-then.ts'
import type { TableContents } from './content/table-contents.ts'
import { otherNamesOf } from './other-names.ts'
import { aliasHoldsNoRows } from './table-errors.ts'
import { createTableHeads, otherNamePrefix, type TableHeads, tableKey } from './table-heads.ts'
import { type TableHead, type TableRecord, tableRecord } from './table-record.ts'

export const tableIdOf = (table: Pick<TableRecord, 'bucketId' | 'name'>): string =>
  `${table.bucketId}.${table.name}`

/** `orders` of `in.c-main.orders`. */
export const nameOfTable = (tableId: string): string => tableId.slice(tableId.lastIndexOf('.') + 1)

/** What the store holds: its tables have metadata. */
const storedTable = tableRecord.required({ metadataKey: true })

type NamedPlace = Pick<TableRecord, 'bucketId' | 'name' | 'displayName'>

/**
 * Heads of tables, by bucket and name. A head names the Iceberg metadata file of its snapshot (docs/tables.md). It is
 * replaced on condition that it has not changed since it was read. So of two writers one wins, and a reader always sees
 * a complete snapshot.
 */
export const createTableStore = (items: ItemView, contents: TableContents) => {
  const { find, seen, tableItemsOf, showsRows, ...readers } = createTableHeads(items)

  const restore = async (item: Item): Promise<TableRecord> => {
    const head = storedTable.parse(item)
    const files = await contents.files(head.metadataKey)
    return { ...head, snapshot: { ...head.snapshot, files } }
  }

  /** `undefined`: there was nothing to let go; false: the table was changed meanwhile. */
  const expire = async (item: Item, now: Date): Promise<boolean | undefined> => {
    const { revision, metadataKey, internalId, ...head } = storedTable.parse(item)
    const expired = await contents.expire(metadataKey, now)
    if (expired === undefined) return undefined
    const unchanged = { revision, metadataKey, internalId }
    return items.put(tableKey(head), { ...item, metadataKey: expired }, unchanged)
  }

  return {
    ...readers,
    ...createTableLists(items),
    ...createTableWrites({ items, contents, showsRows }),

    /**
     * A table that holds its rows, with the files of its snapshot. Throws 400 `storage.tables.aliasImportNotAllowed` for
     * an alias: whoever changes a table, or copies its files, passes here.
     */
    async get(tableId: string): Promise<TableRecord | undefined> {
      const item = await find(tableId)
      if (item && isAliasItem(item)) throw aliasHoldsNoRows(aliasRecord.parse(item))
      return item && restore(item)
    },

    /** A table or an alias, with the files of the rows that it shows. */
    async getReadable(tableId: string): Promise<ReadableTable | undefined> {
      const item = await find(tableId)
      return item && seen(item, restore)
    },

    /** The files of a snapshot that is not that of a head. */
    filesOf: contents.files,

    /**
     * The table as it was at a time. `undefined` when there was none, or when that has expired. Throws `IcebergRefusal` when
     * another writer's snapshot cannot be read.
     */
    contentAt: (table: TableRecord, time: Date): Promise<ContentThen | undefined> => contents.at(table, time),

    /**
     * Lets the old snapshots of the tables of a bucket go. The revision of a head stays: what the table holds does not
     * change. A load that ends meanwhile wins, and the snapshots go with the next call. Resolves to the number of tables.
     */
    async expireSnapshots(bucketId: string, now: Date): Promise<number> {
      let expired = 0
      for await (const item of tableItemsOf(bucketId)) if (await expire(item, now)) expired++
      return expired
    },

    /** The keys of all objects that the tables of a bucket consist of. */
    async *namedKeys(bucketId: string): AsyncGenerator<string> {
      for await (const item of tableItemsOf(bucketId)) {
        yield* contents.namedKeys(storedTable.parse(item).metadataKey)
      }
    },
  }
}

export type TableStore = ReturnType<typeof createTableStore>

interface TableWritesOptions {
  items: ItemView
  contents: TableContents
  showsRows: TableHeads['showsRows']
}

/** Changes of heads, each on condition that nobody else has changed them. */
const createTableWrites = ({ items, contents, showsRows }: TableWritesOptions) => {
  /**
   * Writes the files of the content and resolves to the head that names them: a head names what is there. With `forgotten` it
   * names no earlier state of the table.
   */
  const saveContent = async (table: TableRecord, forgotten?: Date): Promise<Item> => {
    const saved = await contents.save(table)
    const metadataKey = (forgotten && (await contents.expire(saved, forgotten, true))) ?? saved
    const { joinedFrom, ...snapshot } = table.snapshot
    return { ...table, snapshot: { ...snapshot, files: [] }, metadataKey }
  }

  /** Notes come before the table and go after it; one without a table is passed over. */
  const noteOtherNames = async (table: NamedPlace & { internalId: number }): Promise<void> => {
    const note = { name: table.name, internalId: table.internalId }
    for (const key of otherNameKeys(table))
      if (!(await items.put(key, note, 'absent'))) await items.put(key, note)
  }

  /** An alias whose source is gone is gone too, and must not keep its name from others. */
  const removeDeadAlias = async (key: ReturnType<typeof tableKey>): Promise<boolean> => {
    const item = await items.get(key)
    if (!item) return true
    if (!isAliasItem(item) || (await showsRows(item))) return false
    const { internalId } = aliasRecord.parse(item)
    return items.delete(key, { internalId })
  }

  return {
    decide: items.decide,

    /** The first head of a table. It is refused, or `undefined`, when there is a table or an alias of that name. */
    async inserting(table: TableRecord): Promise<Decision | undefined> {
      await noteOtherNames(table)
      await removeDeadAlias(tableKey(table))
      return items.deciding(tableKey(table), await saveContent(table), 'absent')
    },

    /** The same of an alias. */
    async insertingAlias(alias: AliasRecord): Promise<Decision | undefined> {
      await noteOtherNames(alias)
      await removeDeadAlias(tableKey(alias))
      return items.deciding(tableKey(alias), { ...alias }, 'absent')
    },

    /** That this very table or alias is there, for the transaction that needs it. */
    there: ({ internalId, ...head }: TableHead): Promise<ItemWrite> =>
      items.checking(tableKey(head), { internalId }),

    /** In place of the alias that was read. Refused when it has changed. */
    replacingAlias: (alias: AliasRecord): Promise<Decision | undefined> => {
      const { internalId, revision } = alias
      return items.deciding(tableKey(alias), { ...alias, revision: revision + 1 }, { internalId, revision })
    },

    /**
     * In place of the head that was read. It is refused, or `undefined`, when that has changed, or belongs to a new table of that name.
     *
     * @param changes `isRenamed`: it has another display name; `forgotten`: its earlier states go, as of this time
     */
    async replacing(
      table: TableRecord,
      { isRenamed = false, forgotten }: { isRenamed?: boolean; forgotten?: Date | undefined } = {},
    ): Promise<Decision | undefined> {
      if (isRenamed) await noteOtherNames(table)
      const item = await saveContent({ ...table, revision: table.revision + 1 }, forgotten)
      const { internalId, revision } = table
      return items.deciding(tableKey(table), item, { internalId, revision })
    },

    /** Gives a table or alias another display name; its content stays. Refused as above. */
    async renaming(
      { revision, internalId, ...head }: TableHead,
      displayName: string,
    ): Promise<Decision | undefined> {
      const item = await items.get(tableKey(head))
      if (!item) return undefined
      await noteOtherNames({ ...head, internalId, displayName })
      const { metadataKey } = item
      // Snapshots expire under the same revision: what is written back here must not name the metadata before.
      const when = { internalId, revision, ...(typeof metadataKey === 'string' && { metadataKey }) }
      return items.deciding(tableKey(head), { ...item, displayName, revision: revision + 1 }, when)
    },

    /** Deletes this very table, whatever its current head. Resolves to false when it is gone. */
    async delete(table: NamedPlace & Pick<TableRecord, 'internalId'>): Promise<boolean> {
      const { internalId } = table
      const isDeleted = await items.delete(tableKey(table), { internalId })
      for (const key of otherNameKeys(table)) await items.delete(key, { internalId })
      return isDeleted
    },
  }
}

const otherNameKeys = ({ bucketId, name, displayName }: NamedPlace) =>
  otherNamesOf({ name, displayName }).map(word => ({
    pk: partitionOfBucket(bucketId),
    sk: `${otherNamePrefix(word)}${name}`,
  }))

/** Lists of one bucket that read no sources of aliases, and mostly no whole heads. */
const createTableLists = (items: ItemView) => ({
  /** Of the tables and aliases themselves, also of those whose source is gone. Reads nothing else of the heads. */
  internalIdsInBucket(bucketId: string): Promise<number[]> {
    const range = { ...startingWith(tablePrefix), attributes: ['internalId'] }
    return Array.fromAsync(items.query(partitionOfBucket(bucketId), range), item =>
      tableRecord.shape.internalId.parse(item['internalId']),
    )
  },

  /** Sorted. Reads nothing else of the heads: also the aliases whose source is gone. */
  namesInBucket(bucketId: string): Promise<{ name: string; isAlias: boolean }[]> {
    const range = { ...startingWith(tablePrefix), attributes: ['name', 'kind'] }
    return Array.fromAsync(items.query(partitionOfBucket(bucketId), range), item => ({
      name: tableRecord.shape.name.parse(item['name']),
      isAlias: isAliasItem(item),
    }))
  },
})
