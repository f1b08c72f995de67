import { type Decision, together } from '../items/item-table.ts'
import { requireBucket } from './buckets/bucket-store.ts'
import { OVERTAKEN, untilWritten } from './db/until-written.ts'
import type { StorageStores } from './storage-stores.ts'
import type { AliasRecord } from './tables/aliases/alias-record.ts'
import { refuseAdvancedAlias } from './tables/aliases/alias-rules.ts'
import { tableAlreadyExists, tableBusy, tableNotFound } from './tables/table-errors.ts'
import type { TableHead } from './tables/table-record.ts'
import { tableIdOf } from './tables/table-store.ts'
import { refuseTakenName } from './tables/update-table.ts'

interface CreateAliasOptions extends Pick<StorageStores, 'buckets' | 'tables' | 'aliases'> {
  projectId: number
  /** What tells that it was made. */
  telling: () => Decision
}

/**
 * Stores a new alias, in one transaction with that its bucket and its source are there. Resolves to it as readers see it.
 *
 * Errors: `storage.buckets.tableAlreadyExists`, `storage.tables.notFound`, `storage.buckets.notFound`,
 * `storage.tables.aliasingNotAllowed`, 503 `storage.tables.busy`.
 */
export const createAlias = (alias: AliasRecord, services: CreateAliasOptions): Promise<TableHead> => {
  const { buckets, tables, aliases, projectId, telling } = services
  return untilWritten(
    () => tableBusy(tableIdOf(alias)),
    async () => {
      const source = await tables.getHead(alias.sourceTableId)
      if (source?.internalId !== alias.sourceInternalId) throw tableNotFound(alias.sourceTableId, projectId)
      refuseAdvancedAlias(source)
      await requireBucket(alias.bucketId, services)
      if (await tables.getHead(tableIdOf(alias))) throw tableAlreadyExists(alias.name, alias.displayName)
      await refuseTakenName(alias, tables)
      const parents = [await tables.touching(source), await buckets.touching(alias.bucketId)]
      const decision = await together(aliases.inserting(alias), parents, telling())
      if (!(await tables.decide(decision))) return OVERTAKEN
      return (await tables.getHead(tableIdOf(alias))) ?? OVERTAKEN
    },
  )
}
