import pMap from 'p-map'
import { partitionOfBucket, tablePrefix } from '../buckets/bucket-key.ts'
import { type Item, type ItemView, startingWith } from '../db/item-table.ts'
import { parseTableId } from '../storage-ids.ts'
import { type AliasRecord, aliasRecord, isAliasItem } from './aliases/alias-record.ts'
import { type ReadableTable, resolveAlias } from './aliases/resolve-alias.ts'
import type { CatalogFollower } from './catalog-follower.ts'
import type { ContentThen, TableContents } from './content/table-contents.ts'
import { otherNamesOf } from './other-names.ts'
import { aliasHoldsNoRows } from './table-errors.ts'
import { createTableLists } from './table-lists.ts'
import { type AliasedTable, type TableHead, type TableRecord, tableRecord } from './table-record.ts'

export const tableIdOf = (table: Pick<TableRecord, 'bucketId' | 'name'>): string =>
  `${table.bucketId}.${table.name}`

/** `orders` of `in.c-main.orders`. */
export const nameOfTable = (tableId: string): string => tableId.slice(tableId.lastIndexOf('.') + 1)

export const tableKey = ({ bucketId, name }: Pick<TableRecord, 'bucketId' | 'name'>) => ({
  pk: partitionOfBucket(bucketId),
  sk: `${tablePrefix}${name}`,
})

/** What the store holds: its tables have metadata. */
const storedTable = tableRecord.required({ metadataKey: true })

/** Notes that a table of this name answers to another word too. */
const otherNamePrefix = (word: string): string => `CALLED#${word}#`

const nameFields = tableRecord.pick({ name: true, displayName: true, created: true })

type NamedPlace = Pick<TableRecord, 'bucketId' | 'name' | 'displayName'>

/** What a list of names shows of a table or an alias. */
type NamedTable = Pick<TableRecord, 'bucketId' | 'name' | 'displayName' | 'created'>

/** Sources of the aliases in a bucket. */
const READS_AT_ONCE = 16

/**
 * Heads of tables, by bucket and name. A head names the Iceberg metadata file of its snapshot (docs/tables.md). It is
 * replaced on condition that it has not changed since it was read. So of two writers one wins, and a reader always sees
 * a complete snapshot.
 */
export const createTableStore = (items: ItemView, contents: TableContents, catalog?: CatalogFollower) => {
  const restore = async (item: Item): Promise<TableRecord> => {
    const head = storedTable.parse(item)
    const files = await contents.files(head.metadataKey)
    return { ...head, snapshot: { ...head.snapshot, files } }
  }

  /** Writes the content first: a head names what is there. */
  const toItem = async (table: TableRecord): Promise<Item> => {
    const metadataKey = await contents.save(table)
    const { joinedFrom, ...snapshot } = table.snapshot
    return { ...table, snapshot: { ...snapshot, files: [] }, metadataKey }
  }

  const find = async (tableId: string): Promise<Item | undefined> => {
    const parts = parseTableId(tableId)
    return parts && items.get(tableKey(parts))
  }

  /** The one place where aliases become what they show. `parse` reads the head of a table that holds its rows. */
  const seen = async <Root extends TableHead>(
    item: Item,
    parse: (item: Item) => Promise<Root>,
  ): Promise<Root | AliasedTable<Root> | undefined> => {
    if (!isAliasItem(item)) return parse(item)
    const findSource = async (tableId: string) => {
      const source = await find(tableId)
      return source && seen(source, parse)
    }
    return resolveAlias(aliasRecord.parse(item), findSource)
  }

  const parseHead = async (item: Item): Promise<TableHead> => tableRecord.parse(item)

  const getHead = async (tableId: string): Promise<TableHead | undefined> => {
    const item = await find(tableId)
    return item && seen(item, parseHead)
  }

  /** `undefined` for an alias whose source is gone. */
  const namedTable = async (bucketId: string, item: Item): Promise<NamedTable | undefined> => {
    const named = { ...nameFields.parse(item), bucketId }
    if (!isAliasItem(item)) return named
    const alias = await items.get(tableKey(named))
    return alias && (await seen(alias, parseHead)) && named
  }

  const otherNameKeys = ({ bucketId, name, displayName }: NamedPlace) =>
    otherNamesOf({ name, displayName }).map(word => ({
      pk: partitionOfBucket(bucketId),
      sk: `${otherNamePrefix(word)}${name}`,
    }))

  /** Notes come before the table and go after it; one without a table is passed over. */
  const noteOtherNames = async (table: NamedPlace & { internalId: number }): Promise<void> => {
    const note = { name: table.name, internalId: table.internalId }
    for (const key of otherNameKeys(table))
      if (!(await items.put(key, note, 'absent'))) await items.put(key, note)
  }

  const itemsOf = (bucketId: string) => items.query(partitionOfBucket(bucketId), startingWith(tablePrefix))

  /** Of the tables that hold rows. */
  async function* tableItemsOf(bucketId: string): AsyncGenerator<Item> {
    for await (const item of itemsOf(bucketId)) if (!isAliasItem(item)) yield item
  }

  /** An alias whose source is gone is gone too, and must not keep its name from others. */
  const removeDeadAlias = async (key: ReturnType<typeof tableKey>): Promise<boolean> => {
    const item = await items.get(key)
    if (!item) return true
    if (!isAliasItem(item) || (await seen(item, parseHead))) return false
    const { internalId } = aliasRecord.parse(item)
    return items.delete(key, { internalId })
  }

  const putNew = async (key: ReturnType<typeof tableKey>, item: Item): Promise<boolean> =>
    (await items.put(key, item, 'absent')) ||
    ((await removeDeadAlias(key)) && (await items.put(key, item, 'absent')))

  /** Glue shows the head of a table that is registered there. What others have committed there is not part of it. */
  const followInCatalog = async (table: TableHead): Promise<void> => {
    await catalog?.follow(table, tableIdOf(table), async () => {
      const item = await items.get(tableKey(table))
      const head = item && storedTable.parse(item)
      if (head?.internalId !== table.internalId) return undefined
      return contents.metadataFile(head.metadataKey)
    })
  }

  /** `undefined`: there was nothing to let go; false: the table was changed meanwhile. */
  const expire = async (item: Item, now: Date, all = false): Promise<boolean | undefined> => {
    const { revision, metadataKey, internalId, ...head } = storedTable.parse(item)
    const expired = await contents.expire(metadataKey, now, all)
    if (expired === undefined) return undefined
    const unchanged = { revision, metadataKey, internalId }
    if (!(await items.put(tableKey(head), { ...item, metadataKey: expired }, unchanged))) return false
    await followInCatalog({ ...head, revision, internalId, metadataKey: expired })
    return true
  }

  return {
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

    /** A table or an alias, without the files: one read of the database, and one for each source. */
    getHead,

    /** The tables and aliases of a bucket that have this name, or show it, or answer to it in SQL. */
    async called(bucketId: string, word: string): Promise<TableHead[]> {
      const names = new Set([word])
      for await (const { name } of items.query(
        partitionOfBucket(bucketId),
        startingWith(otherNamePrefix(word)),
      ))
        names.add(String(name))
      const found = await pMap([...names].toSorted(), name => getHead(`${bucketId}.${name}`), {
        concurrency: READS_AT_ONCE,
      })
      return found
        .filter(head => head !== undefined)
        .filter(head => head.name === word || otherNamesOf(head).includes(word))
    },

    /** An alias itself, also when its source is gone. `undefined` for what is no alias. */
    async getAlias(tableId: string): Promise<AliasRecord | undefined> {
      const item = await find(tableId)
      return item && isAliasItem(item) ? aliasRecord.parse(item) : undefined
    },

    /** Resolves to false when the table exists. */
    async insert(table: TableRecord): Promise<boolean> {
      await noteOtherNames(table)
      if (!(await putNew(tableKey(table), await toItem(table)))) return false
      await followInCatalog(table)
      return true
    },

    /** Resolves to false when there is a table or an alias of that name. */
    async insertAlias(alias: AliasRecord): Promise<boolean> {
      await noteOtherNames(alias)
      return putNew(tableKey(alias), { ...alias })
    },

    /** Replaces the alias that was read. Resolves to false when it has changed. */
    replaceAlias: (alias: AliasRecord): Promise<boolean> => {
      const { internalId, revision } = alias
      return items.put(tableKey(alias), { ...alias, revision: revision + 1 }, { internalId, revision })
    },

    /**
     * Replaces the head that was read. Resolves to false when it has changed, or belongs to a new table of that name.
     */
    async replace(table: TableRecord): Promise<boolean> {
      // First, so that what others have committed is noticed before ours.
      await followInCatalog(table)
      const item = await toItem({ ...table, revision: table.revision + 1 })
      const { internalId, revision } = table
      if (!(await items.put(tableKey(table), item, { internalId, revision }))) return false
      await followInCatalog(table)
      return true
    },

    followInCatalog,

    /** Gives a table or alias another display name; its content stays. Resolves to false when the head has changed. */
    async rename({ revision, internalId, ...head }: TableHead, displayName: string): Promise<boolean> {
      const item = await items.get(tableKey(head))
      if (!item) return false
      await noteOtherNames({ ...head, internalId, displayName })
      const { metadataKey } = item
      // Snapshots expire under the same revision: what is written back here must not name the metadata before.
      const when = { internalId, revision, ...(typeof metadataKey === 'string' && { metadataKey }) }
      return items.put(tableKey(head), { ...item, displayName, revision: revision + 1 }, when)
    },

    /** Deletes this very table, whatever its current head. Resolves to false when it is gone. */
    async delete(
      table: NamedPlace & Pick<TableRecord, 'internalId' | 'glueName' | 'branchId'>,
    ): Promise<boolean> {
      const { internalId } = table
      const isDeleted = await items.delete(tableKey(table), { internalId })
      for (const key of otherNameKeys(table)) await items.delete(key, { internalId })
      await catalog?.drop(table)
      return isDeleted
    },

    ...createTableLists(items),

    /** Tables and aliases, by name. */
    async listInBucket(bucketId: string): Promise<TableHead[]> {
      const found = await Array.fromAsync(itemsOf(bucketId))
      const tables = await pMap(found, item => seen(item, parseHead), { concurrency: READS_AT_ONCE })
      return tables.filter(table => table !== undefined)
    },

    /** Tables and aliases, by name. Reads nothing else of the heads of tables, which hold columns and results of loads. */
    async listNames(bucketId: string): Promise<NamedTable[]> {
      const range = { ...startingWith(tablePrefix), attributes: ['name', 'displayName', 'created', 'kind'] }
      const found = await Array.fromAsync(items.query(partitionOfBucket(bucketId), range))
      const named = await pMap(found, item => namedTable(bucketId, item), { concurrency: READS_AT_ONCE })
      return named.filter(table => table !== undefined)
    },

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

    /** Lets all earlier states of a table go. Resolves to false when it was changed meanwhile. */
    async forgetHistory(tableId: string, now: Date): Promise<boolean> {
      const item = await find(tableId)
      return item === undefined || (await expire(item, now, true)) !== false
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
