import { isAliased } from '#lib/storage/tables/aliases/resolve-alias.ts'
import { aliasOf } from '#lib/storage/tables/other-names.ts'
import type { AliasedTable, TableHead } from '#lib/storage/tables/table-record.ts'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import type { Services } from '../../services/services.ts'
import { itemsNamed } from './identifiers.ts'

export type AliasHead = AliasedTable<TableHead>

/** The tables of a bucket, and its aliases, that an identifier stands for. */
export const headsNamed = async (
  { tables }: Pick<Services, 'tables'>,
  bucketId: string,
  identifier: string,
): Promise<{ tables: TableHead[]; aliases: AliasHead[] }> => {
  const byId = identifier.startsWith(`${bucketId}.`) ? await tables.getHead(identifier) : undefined
  const called = byId ? [byId] : await tables.called(bucketId, identifier)
  const named = called.map(head => ({ id: tableIdOf(head), name: head.name, head }))
  const heads = itemsNamed(named, identifier).map(({ head }) => head)
  return { tables: heads.filter(head => !isAliased(head)), aliases: heads.filter(isAliased) }
}

/** The identifier under which a table is listed, as `identifiersOf` gives it: reads only what answers to its alias. */
export const identifierOf = async (table: TableHead, services: Pick<Services, 'tables'>): Promise<string> => {
  const alias = aliasOf(table.name)
  const { tables } = await headsNamed(services, table.bucketId, alias)
  return tables.length === 1 ? alias : tableIdOf(table)
}
