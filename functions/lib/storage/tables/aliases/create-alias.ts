import { UserError } from '#lib/errors/errors.ts'
import { type BucketStore, isBeingDeleted } from '../../buckets/bucket-store.ts'
import { tableAlreadyExists, tableNotFound } from '../table-errors.ts'
import type { TableHead } from '../table-record.ts'
import { type TableStore, tableIdOf } from '../table-store.ts'
import type { AliasRecord } from './alias-record.ts'
import { refuseAdvancedAlias } from './alias-rules.ts'
import type { AliasStore } from './alias-store.ts'

interface CreateAliasOptions {
  buckets: BucketStore
  tables: TableStore
  aliases: AliasStore
  projectId: number
  now: () => Date
}

/**
 * Stores a new alias. Resolves to it as readers see it.
 *
 * Source and bucket are looked at again once it is stored: a delete that did not see it has left no source, and then the
 * alias is withdrawn.
 *
 * Errors: `storage.buckets.tableAlreadyExists`, `storage.tables.notFound`, `storage.buckets.notFound`,
 * `storage.tables.aliasingNotAllowed`.
 */
export const createAlias = async (
  alias: AliasRecord,
  { buckets, tables, aliases, projectId, now }: CreateAliasOptions,
): Promise<TableHead> => {
  if (!(await aliases.insert(alias))) throw tableAlreadyExists(alias.name, alias.displayName)
  try {
    const created = await tables.getHead(tableIdOf(alias))
    const source = await tables.getHead(alias.sourceTableId)
    if (!created || !source) throw tableNotFound(alias.sourceTableId, projectId)
    refuseAdvancedAlias(source)
    const bucket = await buckets.get(alias.bucketId)
    if (!bucket || isBeingDeleted(bucket, now()))
      throw new UserError(
        'storage.buckets.notFound',
        `The bucket "${alias.bucketId}" was not found in the project "${projectId}"`,
      )
    return created
  } catch (error) {
    if (error instanceof UserError) await aliases.delete(alias)
    throw error
  }
}
