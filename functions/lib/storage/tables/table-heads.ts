import pMap from 'p-map'
import { type Item, type ItemView, startingWith } from '../../items/item-table.ts'
import { parseTableId } from '../../wire/storage-ids.ts'
import { partitionOfBucket, tablePrefix } from '../buckets/bucket-key.ts'
import { type AliasRecord, aliasRecord, isAliasItem } from './aliases/alias-record.ts'
import { resolveAlias } from './aliases/resolve-alias.ts'
import { aliasOf } from './other-names.ts'
import { type AliasedTable, type TableHead, type TableRecord, tableRecord } from './table-record.ts'

export const tableKey = ({ bucketId, name }: Pick<TableRecord, 'bucketId' | 'name'>) => ({
  pk: partitionOfBucket(bucketId),
  sk: `${tablePrefix}${name}`,
})

const calledPrefix = (word: string): string => `CALLED#${word}#`

export const displayNameKey = (bucketId: string, displayName: string) => ({
  pk: partitionOfBucket(bucketId),
  sk: `NAMED#${displayName}`,
})

/**
 * What leads to a table by other words than its name: its display name, which no other table of the bucket has, and its name as SQL has
 * it, which others may share. Both are written with its head.
 */
export const leadsTo = ({
  bucketId,
  name,
  displayName,
}: Pick<TableRecord, 'bucketId' | 'name' | 'displayName'>) => {
  const word = aliasOf(name)
  const called = { pk: partitionOfBucket(bucketId), sk: `${calledPrefix(word)}${name}` }
  return [displayNameKey(bucketId, displayName), ...(word === name ? [] : [called])]
}

/** Which table or alias an item is of, and what it is called. */
export const nameFields = tableRecord.pick({
  bucketId: true,
  name: true,
  displayName: true,
  internalId: true,
})

const listedFields = tableRecord.pick({ name: true, displayName: true, created: true })

/** What a list of names shows of a table or an alias. */
type NamedTable = Pick<TableRecord, 'bucketId' | 'name' | 'displayName' | 'created'>

/** Sources of the aliases in a bucket. */
const READS_AT_ONCE = 16

/** Reads the heads of tables and of aliases, by bucket and name. */
export const createTableHeads = (items: ItemView) => {
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
    const named = { ...listedFields.parse(item), bucketId }
    if (!isAliasItem(item)) return named
    const alias = await items.get(tableKey(named))
    return alias && (await seen(alias, parseHead)) && named
  }

  /** The name of the table or alias of a bucket that shows this one. */
  const named = async (bucketId: string, displayName: string): Promise<string | undefined> => {
    const item = await items.get(displayNameKey(bucketId, displayName))
    return item && nameFields.shape.name.parse(item['name'])
  }

  const itemsOf = (bucketId: string) => items.query(partitionOfBucket(bucketId), startingWith(tablePrefix))

  /** Of the tables that hold rows. */
  async function* tableItemsOf(bucketId: string): AsyncGenerator<Item> {
    for await (const item of itemsOf(bucketId)) if (!isAliasItem(item)) yield item
  }

  return {
    find,
    seen,
    tableItemsOf,
    named,

    /** A table or an alias, without the files: one read of the database, and one for each source. */
    getHead,

    /** Whether an item shows rows: it is a table, or an alias whose source is there. */
    showsRows: async (item: Item): Promise<boolean> => Boolean(await seen(item, parseHead)),

    /** The tables and aliases of a bucket that have this name, or show it, or answer to it in SQL. */
    async called(bucketId: string, word: string): Promise<TableHead[]> {
      const names = new Set([word, (await named(bucketId, word)) ?? word])
      for await (const { name } of items.query(partitionOfBucket(bucketId), startingWith(calledPrefix(word))))
        names.add(String(name))
      const found = await pMap([...names].toSorted(), name => getHead(`${bucketId}.${name}`), {
        concurrency: READS_AT_ONCE,
      })
      return found
        .filter(head => head !== undefined)
        .filter(({ name, displayName }) => [name, displayName, aliasOf(name)].includes(word))
    },

    /** An alias itself, also when its source is gone. `undefined` for what is no alias. */
    async getAlias(tableId: string): Promise<AliasRecord | undefined> {
      const item = await find(tableId)
      return item && isAliasItem(item) ? aliasRecord.parse(item) : undefined
    },

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
  }
}

export type TableHeads = ReturnType<typeof createTableHeads>
