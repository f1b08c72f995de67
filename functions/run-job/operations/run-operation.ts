import { deleteFileObjects } from '../../lib/storage/files/file-store.ts'
import { aliasDropped } from '../../lib/storage/jobs/job-events.ts'
import {
  branchOf,
  type InputOf,
  type JobInput,
  type ProcessingJob,
} from '../../lib/storage/jobs/job-record.ts'
import { dropping } from '../../lib/storage/tables/drop-table.ts'
import { deletingBucket, updateBucket } from '../../lib/storage/update-bucket.ts'
import { workspaceResource } from '../../lib/storage/workspaces/workspace-store.ts'
import type { RunJobServices } from '../job/services.ts'
import { addColumn, deleteColumn, updateColumnDefinition, updateTableDefinition } from './alter-columns.ts'
import { createBranch, deleteBranch } from './branches.ts'
import {
  addPrimaryKey,
  deletePrimaryKey,
  deleteRows,
  pullTable,
  restoreTable,
  snapshotTable,
  updateTable,
} from './change-table.ts'
import { createDefinedTable, createTable } from './create-table.ts'
import { exportTable } from './export-table.ts'
import { importTable } from './import-table.ts'
import type { InParts, Outcome } from './outcome.ts'
import { swapTables } from './swap-tables.ts'

type Operation<Name extends JobInput['operationName']> = (
  job: ProcessingJob,
  input: InputOf<Name>,
  services: RunJobServices,
  behind: readonly number[],
) => Promise<Outcome | InParts>

const nothingToReport: Outcome = { results: null }
const tellingOf =
  (job: ProcessingJob, { events, nextId, now }: RunJobServices) =>
  (tableId: string) =>
    events.telling({ ...aliasDropped(job, tableId, now()), id: nextId() })

const withAliases = ({ dropped, decide }: ReturnType<typeof dropping>): Outcome => ({
  results: () => (dropped.length > 0 ? { deletedAliases: dropped } : null),
  decide,
})

/** What each job does. Every operation may run again after a crash at any point, or while another run of it is under way. */
const operations: { [Name in JobInput['operationName']]: Operation<Name> } = {
  tableCreate: createTable,
  tableImport: importTable,
  tableDefinitionCreate: createDefinedTable,
  tableUpdate: updateTable,
  tableColumnAdd: addColumn,
  tableColumnDefinitionUpdate: updateColumnDefinition,
  tableDefinitionUpdate: updateTableDefinition,
  tableColumnDelete: deleteColumn,
  tablePrimaryKeyAdd: addPrimaryKey,
  tablePrimaryKeyDelete: deletePrimaryKey,
  tableRowsDelete: deleteRows,
  tableExport: exportTable,
  tablePull: pullTable,
  tableRestore: restoreTable,
  tableSwap: swapTables,
  tableSnapshotCreate: snapshotTable,
  // The sweep deletes its files once nothing else uses them.
  tableSnapshotDelete: async (_job, { snapshotId }, { snapshots }) => ({
    results: null,
    decide: () => snapshots.deleting(snapshotId),
    rest: {},
  }),
  async tableDrop(job, { tableId, force = false }, services) {
    const table = await services.tables.getHead(tableId)
    return table
      ? withAliases(dropping(table, { ...services, force, telling: tellingOf(job, services) }))
      : nothingToReport
  },
  bucketDelete: async (job, { bucketId, force }, services) =>
    withAliases(deletingBucket(bucketId, { ...services, force, telling: tellingOf(job, services) })),
  async bucketUpdate(_job, input, services) {
    await updateBucket(input.bucketId, input, services)
    return nothingToReport
  },
  devBranchCreate: createBranch,
  async devBranchDelete(_job, input, services) {
    await deleteBranch(input, services)
    return nothingToReport
  },
  async fileDelete(_job, { fileId }, { files, s3, filesBucket }) {
    const file = await files.get(fileId)
    if (file) await deleteFileObjects(s3, filesBucket, file)
    // The record goes last: while it exists, an interrupted delete can be repeated.
    if (file) await files.delete(file)
    return nothingToReport
  },
  // Its execution is one of the extract machine.
  configurationRun: async ({ id }) => {
    throw new Error(`The job ${id} is a run`)
  },
  async workspaceCreate(
    { id, createdTime, creatorToken, baseUrl, ...job },
    { configuration },
    { workspaces, projectId, backend },
  ) {
    const branchId = branchOf(job)
    const workspace = { id, branchId, configuration, created: createdTime, creatorToken, revision: 1 }
    return {
      results: workspaceResource(workspace, { baseUrl, projectId, backend }),
      decide: async () => [workspaces.inserting(workspace)],
    }
  },
  workspaceDelete: async (_job, { workspaceId }, { workspaces }) => ({
    results: null,
    decide: async () => ((await workspaces.get(workspaceId)) ? [workspaces.deleting(workspaceId)] : []),
  }),
}

/** Does the work of a job. Throws `UserError` when the job cannot be done as requested. */
export const runOperation = (
  job: ProcessingJob,
  services: RunJobServices,
  behind: readonly number[],
): Promise<Outcome | InParts> => {
  // The operation of a name takes the input of that name, which the compiler does not follow through a table.
  const operate = operations[job.input.operationName] as Operation<JobInput['operationName']>
  return operate(job, job.input, services, behind)
}
