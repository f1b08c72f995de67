import { createBranch } from './branches/create-branch.ts'
import { deleteBranch } from './branches/delete-branch.ts'
import { getBranch } from './branches/get-branch.ts'
import { listBranches } from './branches/list-branches.ts'
import { updateBranch } from './branches/update-branch.ts'
import { createBucket } from './buckets/create-bucket.ts'
import { deleteBucket } from './buckets/delete-bucket.ts'
import { getBucket } from './buckets/get-bucket.ts'
import { listBucketTables } from './buckets/list-bucket-tables.ts'
import { listBuckets } from './buckets/list-buckets.ts'
import { updateBucket } from './buckets/update-bucket.ts'
import { getComponent } from './components/get-component.ts'
import { listComponents } from './components/list-components.ts'
import { copyConfiguration } from './configurations/copy-configuration.ts'
import { createConfiguration } from './configurations/create-configuration.ts'
import { deleteConfiguration } from './configurations/delete-configuration.ts'
import { diffVersions } from './configurations/diff-versions.ts'
import { getConfiguration } from './configurations/get-configuration.ts'
import { getVersion } from './configurations/get-version.ts'
import { listConfigurations } from './configurations/list-configurations.ts'
import { listVersions } from './configurations/list-versions.ts'
import { patchConfiguration } from './configurations/patch-configuration.ts'
import { restoreConfiguration } from './configurations/restore-configuration.ts'
import { rollbackConfiguration } from './configurations/rollback-configuration.ts'
import { runConfiguration } from './configurations/run-configuration.ts'
import { setConfigurationState } from './configurations/set-state.ts'
import { updateConfiguration } from './configurations/update-configuration.ts'
import { createEvent } from './events/create-event.ts'
import { getEvent } from './events/get-event.ts'
import { listBucketEvents, listEvents, listTableEvents, listTokenEvents } from './events/list-events.ts'
import { addFileTag } from './files/add-file-tag.ts'
import { deleteFile } from './files/delete-file.ts'
import { getFile } from './files/get-file.ts'
import { listFiles } from './files/list-files.ts'
import { prepareFile } from './files/prepare-file.ts'
import { removeFileTag } from './files/remove-file-tag.ts'
import { uploadFile } from './files/upload-file.ts'
import type { Route } from './http/route.ts'
import { getIndex } from './index/get-index.ts'
import { getJob } from './jobs/get-job.ts'
import { listJobs } from './jobs/list-jobs.ts'
import { deleteBranchMetadata, listBranchMetadata, setBranchMetadata } from './metadata/branch-metadata.ts'
import { deleteBucketMetadata, listBucketMetadata, setBucketMetadata } from './metadata/bucket-metadata.ts'
import { deleteColumnMetadata, listColumnMetadata, setColumnMetadata } from './metadata/column-metadata.ts'
import {
  deleteConfigurationMetadata,
  listConfigurationMetadata,
  setConfigurationMetadata,
} from './metadata/configuration-metadata.ts'
import { deleteTableMetadata, listTableMetadata, setTableMetadata } from './metadata/table-metadata.ts'
import { validateColumnNames } from './names/validate-column-names.ts'
import { webalizeColumnNames, webalizeDisplayName } from './names/webalize.ts'
import { copyRow } from './rows/copy-row.ts'
import { createRow } from './rows/create-row.ts'
import { deleteRow } from './rows/delete-row.ts'
import { getRow } from './rows/get-row.ts'
import { getRowVersion } from './rows/get-row-version.ts'
import { listRowVersions } from './rows/list-row-versions.ts'
import { listRows } from './rows/list-rows.ts'
import { patchRow } from './rows/patch-row.ts'
import { rollbackRow } from './rows/rollback-row.ts'
import { setRowState } from './rows/set-state.ts'
import { updateRow } from './rows/update-row.ts'
import { globalSearch } from './search/global-search.ts'
import { runStats } from './search/run-stats.ts'
import { searchConfigurations } from './search/search-configurations.ts'
import { searchTables } from './search/search-tables.ts'
import { createSnapshot } from './snapshots/create-snapshot.ts'
import { deleteSnapshot } from './snapshots/delete-snapshot.ts'
import { getSnapshot } from './snapshots/get-snapshot.ts'
import { listSnapshots } from './snapshots/list-snapshots.ts'
import { addColumn } from './tables/add-column.ts'
import { addPrimaryKey } from './tables/add-primary-key.ts'
import { createTable } from './tables/create-table.ts'
import { createTableNow } from './tables/create-table-now.ts'
import { defineTable } from './tables/define-table.ts'
import { deleteColumn } from './tables/delete-column.ts'
import { deletePrimaryKey } from './tables/delete-primary-key.ts'
import { deleteRows } from './tables/delete-rows.ts'
import { deleteTable } from './tables/delete-table.ts'
import { exportTable } from './tables/export-table.ts'
import { getTable } from './tables/get-table.ts'
import { importTable } from './tables/import-table.ts'
import { importTableNow } from './tables/import-table-now.ts'
import { listTables } from './tables/list-tables.ts'
import { previewTable } from './tables/preview-table.ts'
import { updateTable } from './tables/update-table.ts'
import { writeTable } from './tables/write-table.ts'
import { createTicket } from './tickets/create-ticket.ts'
import { createToken } from './tokens/create-token.ts'
import { deleteToken } from './tokens/delete-token.ts'
import { getToken } from './tokens/get-token.ts'
import { listTokens } from './tokens/list-tokens.ts'
import { refreshToken } from './tokens/refresh-token.ts'
import { shareToken } from './tokens/share-token.ts'
import { updateToken } from './tokens/update-token.ts'
import { verifyToken } from './tokens/verify-token.ts'
import { createTrigger } from './triggers/create-trigger.ts'
import { deleteTrigger } from './triggers/delete-trigger.ts'
import { getTrigger } from './triggers/get-trigger.ts'
import { listTriggers } from './triggers/list-triggers.ts'
import { updateTrigger } from './triggers/update-trigger.ts'
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  loadWorkspace,
} from './workspaces/workspaces.ts'

/** Every route of the service; a fixed path stands before one with a parameter in its place. */
export const routes: Route[] = [
  getIndex,
  verifyToken,
  listBranches,
  listBuckets,
  createBucket,
  getBucket,
  updateBucket,
  deleteBucket,
  listBucketTables,
  createTable,
  listTables,
  getTable,
  deleteTable,
  importTable,
  exportTable,
  createTableNow,
  importTableNow,
  writeTable,
  updateTable,
  defineTable,
  addColumn,
  deleteColumn,
  addPrimaryKey,
  deletePrimaryKey,
  deleteRows,
  createSnapshot,
  listSnapshots,
  getSnapshot,
  deleteSnapshot,
  previewTable,
  listFiles,
  prepareFile,
  getFile,
  deleteFile,
  addFileTag,
  removeFileTag,
  uploadFile,
  listJobs,
  getJob,
  listComponents,
  getComponent,
  listConfigurations,
  createConfiguration,
  getConfiguration,
  updateConfiguration,
  patchConfiguration,
  deleteConfiguration,
  restoreConfiguration,
  runConfiguration,
  setConfigurationState,
  listVersions,
  getVersion,
  rollbackConfiguration,
  copyConfiguration,
  diffVersions,
  listRows,
  createRow,
  getRow,
  updateRow,
  patchRow,
  deleteRow,
  setRowState,
  listRowVersions,
  getRowVersion,
  rollbackRow,
  copyRow,
  listTokens,
  createToken,
  getToken,
  updateToken,
  deleteToken,
  refreshToken,
  shareToken,
  listEvents,
  createEvent,
  getEvent,
  listTableEvents,
  listBucketEvents,
  listTokenEvents,
  createBranch,
  deleteBranch,
  getBranch,
  updateBranch,
  deleteBranchMetadata,
  listBranchMetadata,
  setBranchMetadata,
  deleteBucketMetadata,
  listBucketMetadata,
  setBucketMetadata,
  deleteColumnMetadata,
  listColumnMetadata,
  setColumnMetadata,
  deleteConfigurationMetadata,
  listConfigurationMetadata,
  setConfigurationMetadata,
  deleteTableMetadata,
  listTableMetadata,
  setTableMetadata,
  createTicket,
  validateColumnNames,
  webalizeColumnNames,
  webalizeDisplayName,
  globalSearch,
  runStats,
  searchConfigurations,
  searchTables,
  createTrigger,
  deleteTrigger,
  getTrigger,
  listTriggers,
  updateTrigger,
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  loadWorkspace,
]
