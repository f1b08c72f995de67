import type { StagedMerge } from '../lib/distributed/merge-notes.ts'
import { defaultBranchId } from '../lib/storage/branches/branch-store.ts'
import type { TableRecord } from '../lib/storage/tables/table-record.ts'
import type { TableStore } from '../lib/storage/tables/table-store.ts'
import { withFiles } from '../lib/table-engine/snapshot.ts'
import type { MergeServices } from './services.ts'

type OfBranch = Pick<StagedMerge, 'branchId'>

/** The tables that the job of a load sees. */
export const tablesOf = ({ branchId = defaultBranchId }: OfBranch, { inBranch }: MergeServices): TableStore =>
  inBranch(branchId).tables

/**
 * The head of the table of a load, when it is there and the branch's own: another branch's is never changed. The job made
 * it its own before, so one that is not was deleted.
 */
export const findTable = async (
  merge: Pick<StagedMerge, 'tableId'> & OfBranch,
  services: MergeServices,
): Promise<TableRecord | undefined> => {
  const table = await tablesOf(merge, services).get(merge.tableId)
  return table?.branchId === merge.branchId ? table : undefined
}

/** The table that a load creates, before it has rows. Its internal id is the job's, as of every table that a job creates. */
export const newTable = (
  { jobId, branchId, staged, lastLoad, loadedAt }: StagedMerge,
  names: NonNullable<StagedMerge['newTable']>,
): TableRecord => ({
  internalId: jobId,
  ...names,
  created: loadedAt,
  lastImportDate: null,
  lastChangeDate: loadedAt,
  lastLoad,
  snapshot: withFiles(staged, []),
  ...(branchId !== undefined && { branchId }),
  revision: 0,
})
