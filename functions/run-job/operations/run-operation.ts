import { deleteBucket } from '../../lib/storage/buckets/delete-bucket.ts'
import { updateBucket } from '../../lib/storage/buckets/update-bucket.ts'
import { noMetrics, type ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { dropTable } from '../../lib/storage/tables/drop-table.ts'
import type { RunJobServices } from '../services.ts'
import { addColumn, deleteColumn } from './alter-columns.ts'
import { addPrimaryKey, deletePrimaryKey } from './alter-primary-key.ts'
import { createBranch } from './create-branch.ts'
import { createDefinedTable } from './create-defined-table.ts'
import { createTable } from './create-table.ts'
import { deleteBranch } from './delete-branch.ts'
import { deleteFile } from './delete-file.ts'
import { deleteRows } from './delete-rows.ts'
import { exportTable } from './export-table.ts'
import { importTable } from './import-table.ts'
import { mergeBranch } from './merge-branch.ts'
import { optimizeTable } from './optimize-table.ts'
import type { InParts, Outcome, Pending } from './outcome.ts'
import { pullTable } from './pull-table.ts'
import { runConfiguration } from './run-configuration.ts'
import { snapshotTable } from './snapshot-table.ts'
import { updateColumnDefinition } from './update-column-definition.ts'
import { updateTable } from './update-table.ts'

const reporting = (results: Outcome['results']): Outcome => ({ results, metrics: noMetrics })
const nothingToReport = reporting(null)

/**
 * Does the work of a job. Every operation may run again after a crash at any point, or while another run of the same
 * job is still running. Throws `UserError` when the job cannot be done as requested.
 */
export const runOperation = async (
  job: ProcessingJob,
  services: RunJobServices,
  { isRepeated }: { isRepeated: boolean },
): Promise<Outcome | Pending | InParts> => {
  const { input } = job
  switch (input.operationName) {
    case 'tableCreate':
      return createTable(job, input, services)
    case 'tableImport':
      return importTable(job, input, services, { isRepeated })
    case 'tableDefinitionCreate':
      return createDefinedTable(job, input, services)
    case 'tableUpdate':
      return reporting(await updateTable(job, input, services))
    case 'tableColumnAdd':
      return reporting((await addColumn(job, input, services)).results)
    case 'tableColumnDefinitionUpdate':
      return reporting((await updateColumnDefinition(job, input, services)).results)
    case 'tableColumnDelete':
      return reporting((await deleteColumn(job, input, services)).results)
    case 'tablePrimaryKeyAdd':
      return reporting((await addPrimaryKey(job, input, services)).results)
    case 'tablePrimaryKeyDelete':
      return reporting((await deletePrimaryKey(job, input, services)).results)
    case 'tableRowsDelete':
      return reporting((await deleteRows(job, input, services)).results)
    case 'tableSnapshotCreate':
      return reporting(await snapshotTable(job, input, services))
    case 'tableSnapshotDelete':
      // The sweep deletes its files once nothing else uses them.
      await services.snapshots.delete(input.snapshotId)
      await services.metadata.clear(metadataSubject.snapshot({ id: input.snapshotId }))
      return nothingToReport
    case 'tableExport':
      return exportTable(job, input, services)
    case 'tableDrop': {
      const table = await services.tables.getHead(input.tableId)
      const deletedAliases = table ? await dropTable(table, { ...services, force: input.force ?? false }) : []
      return deletedAliases.length > 0 ? reporting({ deletedAliases }) : nothingToReport
    }
    case 'tableOptimize':
      return reporting(await optimizeTable(job, input, services))
    case 'tablePull':
      return reporting(await pullTable(job, input, services))
    case 'devBranchMerge':
      return reporting(await mergeBranch(job, input, services))
    case 'bucketDelete': {
      const deletedAliases = await deleteBucket(input.bucketId, input.force, services)
      return deletedAliases.length > 0 ? reporting({ deletedAliases }) : nothingToReport
    }
    case 'bucketUpdate':
      await updateBucket(input.bucketId, input, services)
      return nothingToReport
    case 'devBranchCreate':
      return reporting(await createBranch(job, input, services))
    case 'devBranchDelete':
      await deleteBranch(input, services)
      return nothingToReport
    case 'fileDelete':
      await deleteFile(input.fileId, services)
      return nothingToReport
    case 'configurationRun':
      return runConfiguration(job, input, services)
  }
}
