import { findPacking } from '../../lib/distributed/find-packing.ts'
import { ofBranch } from '../../lib/storage/branches/branch-store.ts'
import { branchOf, type InputOf, type ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { RunJobServices } from '../services.ts'
import type { Outcome } from './outcome.ts'
import { QueryMerge } from './outgrown-load.ts'

/**
 * Of a table that outgrows one function
 * Athena packs small files, and those with deleted rows: then throws `QueryMerge`, and the next run finds the work done.
 * For other tables nothing is left to do.
 */
export const optimizeTable = async (
  job: ProcessingJob,
  { tableId }: InputOf<'tableOptimize'>,
  { tables, projectId, stagedMerges, distribution }: RunJobServices,
): Promise<Outcome> => {
  const table = await tables.get(tableId)
  if (!table) throw tableNotFound(tableId, projectId)
  if (table.lastJob?.id === job.id) return { results: table.lastJob.results }
  const isLarge = table.snapshot.dataSizeBytes > distribution.singleMergeBytes
  const packing = stagedMerges && isLarge ? findPacking(table.snapshot.files) : undefined
  if (!stagedMerges || !packing)
    return { results: { message: 'Each load joins small files of the table, so nothing was left to do.' } }
  await stagedMerges.writePacked({ jobId: job.id, tableId, ...ofBranch(branchOf(job)), ...packing })
  throw new QueryMerge()
}
