import {
  type Decision,
  type Item,
  type ItemView,
  type ItemWrite,
  startingWith,
  together,
} from '../../items/item-table.ts'
import { partitionOfBucket, tablePrefix } from '../buckets/bucket-key.ts'
import { type AliasRecord, aliasRecord, isAliasItem } from './aliases/alias-record.ts'
import type { ReadableTable } from './aliases/resolve-alias.ts'
import type { ContentThen } from './content/content-then.ts'
import type { TableContents } from './content/table-contents.ts'
import { aliasHoldsNoRows } from './table-errors.ts'
import {
  createTableHeads,
  displayNameKey,
  leadsTo,
  nameFields,
  type TableHeads,
  tableKey,
} from './table-heads.ts'
import { type TableHead, type TableRecord, tableRecord } from './table-record.ts'

export const tableIdOf = (table: Pick<TableRecord, 'bucketId' | 'name'>): string =>
  `${table.bucketId}.${table.name}`

/** `orders` of `in.c-main.orders`. */
export const nameOfTable = (tableId: string): string => tableId.slice(tableId.lastIndexOf('.') + 1)

/** What the store holds: its tables have metadata. */
const storedTable = tableRecord.required({ metadataKey: true })
export type StoredTable = TableRecord & { metadataKey: string }

/** What is written with a head in place of another one. `undefined`: there is none. */
export interface WithHead {
  writing(table: { bucketId: string; name: string }, before: unknown, head: unknown): readonly ItemWrite[]
}

/**
 * Heads of tables, by bucket and name. A head names the Iceberg metadata file of its snapshot (docs/tables.md). It is
 * replaced on condition that it has not changed since it was read. So of two writers one wins, and a reader always sees
 * a complete snapshot.
 */
export const createTableStore = (items: ItemView, contents: TableContents, withHead?: WithHead) => {
  const { find, seen, tableItemsOf, showsRows, ...readers } = createTableHeads(items)

  const restore = async (item: Item): Promise<StoredTable> => {
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
    return items.decide(await items.writing(tableKey(head), { ...item, metadataKey: expired }, unchanged))
  }

  return {
    ...readers,
    ...createTableLists(items),
    ...createTableWrites({ items, contents, showsRows, withHead }),

    /**
     * A table that holds its rows, with the files of its snapshot. Throws 400 `storage.tables.aliasImportNotAllowed` for
     * an alias: whoever changes a table, or copies its files, passes here.
     */
    async get(tableId: string): Promise<StoredTable | undefined> {
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
  withHead: WithHead | undefined
}

/** Changes of heads with what leads to them, each on condition that nobody else has changed them. */
const createTableWrites = ({ items, contents, showsRows, withHead }: TableWritesOptions) => {
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

  const { making, moving, deleting } = createHeadWrites({ items, showsRows, withHead })

  return {
    decide: items.decide,
    deleting,

    /** The first head of a table. It is refused, or `undefined`, when there is a table or an alias of one of its names. */
    inserting: async (table: TableRecord): Promise<Decision> =>
      making({ ...(await saveContent(table)), ...versionOf(table) }),

    /** The same of an alias. */
    insertingAlias: (alias: AliasRecord): Promise<Decision> => making({ ...alias }),

    /** That this very table or alias is there, for the transaction that makes an alias of it. */
    touching: (head: TableHead): Promise<ItemWrite> =>
      items.touching(tableKey(head), { internalId: head.internalId }),

    /** In place of the alias that was read. Refused when it has changed. */
    replacingAlias: async (alias: AliasRecord): Promise<Decision> =>
      moving(await items.get(tableKey(alias)), { ...alias }),

    /**
     * In place of the head that was read. It is refused, or `undefined`, when that has changed, or belongs to a new table of that name.
     *
     * @param forgotten its earlier states go, as of this time
     * @param before the table as it was read. Default: it is read again, for the name that it has
     */
    async replacing(
      table: TableRecord,
      { forgotten, before }: { forgotten?: Date | undefined; before?: StoredTable | undefined } = {},
    ): Promise<Decision> {
      const saved = await saveContent({ ...table, revision: table.revision + 1 }, forgotten)
      const item = before ? { ...before } : await items.get(tableKey(table))
      return moving(item, { ...saved, ...versionOf(table) })
    },

    /** Gives a table or alias another display name; its content stays. Refused as above. */
    async renaming(head: TableHead, displayName: string): Promise<Decision> {
      const item = await items.get(tableKey(head))
      return moving(item, { ...item, ...versionOf(head), displayName })
    },
  }
}

type Named = Pick<TableHead, 'bucketId' | 'name' | 'displayName' | 'internalId'>

type Versioned = Named & Pick<TableHead, 'revision'>

/** Heads of tables and aliases with what leads to them, for transactions. */
const createHeadWrites = ({ items, showsRows, withHead }: Omit<TableWritesOptions, 'contents'>) => {
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

const versionOf = ({ bucketId, name, displayName, internalId, revision }: Versioned): Versioned => ({
  bucketId,
  name,
  displayName,
  internalId,
  revision,
})

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
