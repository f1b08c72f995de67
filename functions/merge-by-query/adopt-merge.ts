import { checkCommit } from '../lib/distributed/check-commit.ts'
import { cleanUpMerge } from '../lib/distributed/clean-up-merge.ts'
import { glueTableName } from '../lib/distributed/glue-names.ts'
import type { StagedMerge } from '../lib/distributed/merge-notes.ts'
import { TransientError } from '../lib/errors/errors.ts'
import type { TableRecord } from '../lib/storage/tables/table-record.ts'
import { withFiles } from '../lib/table-engine/snapshot.ts'
import { type Adoption, commitFor, commitOf, filesOf, tableOf } from './adoption.ts'
import { findTable, tablesOf } from './merge-target.ts'
import type { MergeServices } from './services.ts'

/**
 * Makes what the query committed the table's content: checks it, joins deletes that are spread over files, and moves the
 * head on condition that it has not moved. A repeated step finds the load in the head.
 *
 * A table that the load creates is made by the job itself, from the commit that this step has noted as checked.
 *
 * Error: 400 `storage.tables.distributed.commitRefused`, with an event that says where the commit lies. The old head stays.
 */
export const adoptMerge = async (
  { jobId, queryId }: { jobId: number; queryId: string },
  services: MergeServices,
): Promise<{ status: 'done' }> => {
  const { notes } = services
  const merge = await notes.readStaged(jobId)
  const decided = await notes.readNotes(jobId)
  // Only a merge that has ended has no notes: the job's next run finds what became of it.
  if (!merge || !decided) return { status: 'done' }
  const { tableId, branchId } = merge
  const loadedAt = new Date(merge.loadedAt)
  const check: Adoption['check'] = commit => checkCommit({ ...commit, loadedAt })
  const adoption = { jobId, queryId, tableId, branchId, decided, check }
  if (merge.newTable) await noteAdopted(adoption, services)
  else await adoptIntoTable(adoption, merge, services)
  return { status: 'done' }
}

/** The objects stay until the job has made its table of them, or has ended without. */
const noteAdopted = async (adoption: Adoption, services: MergeServices): Promise<void> => {
  const { tableContents, notes } = services
  if (await notes.readAdopted(adoption.jobId)) return
  const { committed } = await commitOf(adoption, services)
  const metadataKey = tableContents.objects.keyOf(committed.location)
  await notes.writeAdopted(adoption.jobId, { metadataKey })
}

const adoptIntoTable = async (
  adoption: Adoption,
  merge: StagedMerge,
  services: MergeServices,
): Promise<void> => {
  const { jobId } = adoption
  const table = await tableOf(adoption, services)
  if (table.lastLoad.jobId !== jobId) await moveHead(table, { adoption, merge }, services)
  // An earlier run may have died between the move of the head and that of Glue's pointer.
  else await tablesOf(merge, services).followInCatalog(table)
  await cleanUpMerge(jobId, services)
}

const moveHead = async (
  table: TableRecord,
  { adoption, merge }: { adoption: Adoption; merge: StagedMerge },
  services: MergeServices,
): Promise<void> => {
  const commit = await commitFor(table, adoption, services)
  const files = await filesOf(table, adoption, commit, services)
  const { fields, lastFieldId } = merge.staged
  const at = services.now().toISOString()
  const moved: TableRecord = {
    ...table,
    snapshot: withFiles({ ...table.snapshot, fields, lastFieldId }, files),
    metadataKey: services.tableContents.objects.keyOf(commit.committed.location),
    glueName: table.glueName ?? glueTableName(table),
    lastLoad: merge.lastLoad,
    lastImportDate: at,
    lastChangeDate: at,
  }
  if (await tablesOf(merge, services).replace(moved)) return
  const winner = await findTable(merge, services)
  if (winner?.lastLoad.jobId === adoption.jobId) return
  throw new TransientError(
    'storage.tables.moved',
    `The table "${merge.tableId}" was changed while the job ran.`,
  )
}
