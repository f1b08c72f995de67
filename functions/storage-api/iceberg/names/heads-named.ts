import { isAliased } from '#lib/storage/tables/aliases/resolve-alias.ts'
import type { TableHead } from '#lib/storage/tables/table-record.ts'
import { tableIdOf } from '#lib/storage/tables/table-store.ts'
import type { Services } from '../../services/services.ts'
import { itemsNamed } from './identifiers.ts'

/** The tables of a bucket, and its aliases, that an identifier stands for. */
export const headsNamed = async (
  { tables }: Pick<Services, 'tables'>,
  bucketId: string,
  identifier: string,
): Promise<{ tables: TableHead[]; aliases: TableHead[] }> => {
  const byId = identifier.startsWith(`${bucketId}.`) ? await tables.getHead(identifier) : undefined
  const called = byId ? [byId] : await tables.called(bucketId, identifier)
  const named = called.map(head => ({ id: tableIdOf(head), name: head.name, head }))
  const heads = itemsNamed(named, identifier).map(({ head }) => head)
  return { tables: heads.filter(head => !isAliased(head)), aliases: heads.filter(isAliased) }
}
