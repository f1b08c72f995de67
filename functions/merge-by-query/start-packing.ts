import { cleanUpMerge } from '../lib/distributed/clean-up-merge.ts'
import { mergeTableName, refuseSharedNames } from '../lib/distributed/glue-names.ts'
import type { PackedTable } from '../lib/distributed/merge-notes.ts'
import { optimizeStatement } from '../lib/distributed/statements/optimize-statement.ts'
import { UserError } from '../lib/errors/errors.ts'
import { findTable } from './merge-target.ts'
import type { MergeServices } from './services.ts'
import { type StartedQuery, startAside } from './start-aside.ts'

/**
 * Starts the query that packs the files of a table, aside like a merge (see `startMerge`). A repeated start finds the query.
 *
 * Errors: 400 `storage.tables.distributed.columnNames`; `storage.tables.notFound`.
 */
export const startPacking = async (
  packed: PackedTable,
  services: MergeServices,
): Promise<StartedQuery | { status: 'done' }> => {
  const { catalog, notes } = services
  const { jobId, tableId } = packed
  const table = await findTable(packed, services)
  if (table?.lastJob?.id === jobId) return { status: 'done' }
  if (!table?.metadataKey) {
    await cleanUpMerge(jobId, services)
    throw new UserError('storage.tables.notFound', `The table "${tableId}" was deleted before it was packed.`)
  }
  refuseSharedNames(tableId, table.snapshot.fields)
  const target = { database: catalog.database, name: mergeTableName(jobId) }
  const decided =
    (await notes.readNotes(jobId)) ??
    (await notes.decide(jobId, {
      internalId: table.internalId,
      headKey: table.metadataKey,
      baseKey: table.metadataKey,
      statement: optimizeStatement(target),
    }))
  return startAside(jobId, decided, services)
}
