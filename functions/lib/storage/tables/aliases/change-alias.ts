import { UserError } from '#lib/errors/errors.ts'
import { type BucketStore, isBeingDeleted } from '../../buckets/bucket-store.ts'
import { OVERTAKEN, untilWritten } from '../../db/until-written.ts'
import { tableAlreadyExists, tableBusy, tableNotFound } from '../table-errors.ts'
import type { TableHead } from '../table-record.ts'
import { type TableStore, tableIdOf } from '../table-store.ts'
import type { AliasRecord } from './alias-record.ts'
import { refuseAdvancedAlias } from './alias-rules.ts'
import type { AliasStore } from './alias-store.ts'

/**
 * Changes what an alias shows. `change` gets the alias as it is and may throw; the same alias back writes nothing. It is
 * called again when another request was faster. Resolves to false when nothing was written.
 *
 * Errors: 404 `storage.tables.notFound`, 503 `storage.tables.busy`.
 */
export const changeAlias = (
  alias: AliasRecord,
  change: (current: AliasRecord) => Promise<AliasRecord>,
  { tables, projectId }: { tables: TableStore; projectId: number },
): Promise<boolean> => {
  const tableId = tableIdOf(alias)
  return untilWritten(
    () => tableBusy(tableId),
    async () => {
      const current = await tables.getAlias(tableId)
      if (current?.internalId !== alias.internalId) throw tableNotFound(tableId, projectId)
      const changed = await change(current)
      if (changed === current) return false
      return (await tables.decide(await tables.replacingAlias(changed))) || OVERTAKEN
    },
  )
}

interface CreateAliasOptions {
  buckets: BucketStore
  tables: TableStore
  aliases: AliasStore
  projectId: number
  now: () => Date
}

/**
 * Stores a new alias, in one transaction with that its bucket is as it was and its source is there. Resolves to it as readers see it.
 *
 * Errors: `storage.buckets.tableAlreadyExists`, `storage.tables.notFound`, `storage.buckets.notFound`,
 * `storage.tables.aliasingNotAllowed`, 503 `storage.tables.busy`.
 */
export const createAlias = (
  alias: AliasRecord,
  { buckets, tables, aliases, projectId, now }: CreateAliasOptions,
): Promise<TableHead> =>
  untilWritten(
    () => tableBusy(tableIdOf(alias)),
    async () => {
      const source = await tables.getHead(alias.sourceTableId)
      if (source?.internalId !== alias.sourceInternalId) throw tableNotFound(alias.sourceTableId, projectId)
      refuseAdvancedAlias(source)
      const bucket = await buckets.get(alias.bucketId)
      if (!bucket || isBeingDeleted(bucket, now()))
        throw new UserError(
          'storage.buckets.notFound',
          `The bucket "${alias.bucketId}" was not found in the project "${projectId}"`,
        )
      if (await tables.getHead(tableIdOf(alias))) throw tableAlreadyExists(alias.name, alias.displayName)
      const decision = await aliases.inserting(alias)
      const parents = [await buckets.unchanged(bucket), await tables.there(source)]
      const writes = [...(decision?.writes ?? []), ...parents]
      if (!decision || !(await tables.decide({ ...decision, writes }))) return OVERTAKEN
      return (await tables.getHead(tableIdOf(alias))) ?? OVERTAKEN
    },
  )
