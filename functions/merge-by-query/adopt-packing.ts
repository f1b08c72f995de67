import { checkPacked } from '../lib/distributed/check-packed.ts'
import { cleanUpMerge } from '../lib/distributed/clean-up-merge.ts'
import { glueTableName } from '../lib/distributed/glue-names.ts'
import type { PackedTable } from '../lib/distributed/merge-notes.ts'
import { TransientError } from '../lib/errors/errors.ts'
import type { TableRecord } from '../lib/storage/tables/table-record.ts'
import { withFiles } from '../lib/table-engine/snapshot.ts'
import { type Adoption, commitFor, filesOf, tableOf } from './adoption.ts'
import { findTable, tablesOf } from './merge-target.ts'
import type { MergeServices } from './services.ts'

/**
 * Makes the packed files those of the table, when they hold the same rows. Its dates stay: nothing in it has changed. A
 * repeated step finds the job in the head.
 *
 * Error: 400 `storage.tables.distributed.commitRefused`, with an event that says where the commit lies. The old head stays.
 */
export const adoptPacking = async (
  packed: PackedTable,
  { queryId }: { queryId: string },
  services: MergeServices,
): Promise<{ status: 'done' }> => {
  const { jobId, tableId, branchId } = packed
  const decided = await services.notes.readNotes(jobId)
  if (!decided) return { status: 'done' }
  const adoption: Adoption = { jobId, queryId, tableId, branchId, decided, check: checkPacked }
  const table = await tableOf(adoption, services)
  if (table.lastJob?.id !== jobId) await moveHead(table, { adoption, packed }, services)
  // An earlier run may have died between the move of the head and that of Glue's pointer.
  else await tablesOf(packed, services).followInCatalog(table)
  await cleanUpMerge(jobId, services)
  return { status: 'done' }
}

const moveHead = async (
  table: TableRecord,
  { adoption, packed }: { adoption: Adoption; packed: PackedTable },
  services: MergeServices,
): Promise<void> => {
  const { jobId, tableId } = adoption
  const commit = await commitFor(table, adoption, services)
  const files = await filesOf(table, adoption, commit, services)
  const results = {
    message: `Athena packed ${packed.files} files of the table. It has ${files.length} files now.`,
    isMigrated: false,
    packedFiles: packed.files,
    packedBytes: packed.bytes,
    filesCount: files.length,
  }
  const moved: TableRecord = {
    ...table,
    snapshot: withFiles(table.snapshot, files),
    metadataKey: services.tableContents.objects.keyOf(commit.committed.location),
    glueName: table.glueName ?? glueTableName(table),
    lastJob: { id: jobId, results },
  }
  if (await tablesOf(packed, services).replace(moved)) return
  if ((await findTable(packed, services))?.lastJob?.id === jobId) return
  throw new TransientError('storage.tables.moved', `The table "${tableId}" was changed while the job ran.`)
}
