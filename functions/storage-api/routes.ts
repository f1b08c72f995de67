import { disableColumnsAutoSync, enableColumnsAutoSync } from './aliases/columns-auto-sync.ts'
import { createAlias } from './aliases/create-alias.ts'
import { removeAliasFilter } from './aliases/remove-alias-filter.ts'
import { setAliasFilter } from './aliases/set-alias-filter.ts'
import { createBranch } from './branches/create-branch.ts'
import { deleteBranch } from './branches/delete-branch.ts'
import { getBranch } from './branches/get-branch.ts'
import { listBranches } from './branches/list-branches.ts'
import { updateBranch } from './branches/update-branch.ts'
import { bucketsRoutes } from './buckets/routes.ts'
import { getComponent } from './components/get-component.ts'
import { listComponents } from './components/list-components.ts'
import { configurationsRoutes } from './configurations/routes.ts'
import { deleteDeadLetter } from './dead-letters/delete-dead-letter.ts'
import { getDeadLetter } from './dead-letters/get-dead-letter.ts'
import { listDeadLetters } from './dead-letters/list-dead-letters.ts'
import { redriveAllDeadLetters } from './dead-letters/redrive-all-dead-letters.ts'
import { redriveDeadLetter } from './dead-letters/redrive-dead-letter.ts'
import { createEvent } from './events/create-event.ts'
import { getEvent } from './events/get-event.ts'
import { listBucketEvents, listEvents, listTableEvents, listTokenEvents } from './events/list-events.ts'
import { filesRoutes } from './files/routes.ts'
import type { Route } from './http/route.ts'
import { getIndex } from './index/get-index.ts'
import { getJob } from './jobs/get-job.ts'
import { listJobs } from './jobs/list-jobs.ts'
import { listLogLines } from './logs/list-log-lines.ts'
import { createMergeRequest } from './merge-requests/create-merge-request.ts'
import { mergeMergeRequest } from './merge-requests/merge.ts'
import { getMergeRequest, listMergeRequests } from './merge-requests/read-merge-requests.ts'
import { approveMergeRequest, requestChanges, requestReview } from './merge-requests/review-merge-request.ts'
import { metadataRoutes } from './metadata/routes.ts'
import { validateColumnNames } from './names/validate-column-names.ts'
import { webalizeColumnNames, webalizeDisplayName } from './names/webalize.ts'
import { rowsRoutes } from './rows/routes.ts'
import { approveRun, rejectRun } from './runs/decide-run.ts'
import { getRun } from './runs/get-run.ts'
import { listRuns } from './runs/list-runs.ts'
import { globalSearch } from './search/global-search.ts'
import { runStats } from './search/run-stats.ts'
import { searchConfigurations } from './search/search-configurations.ts'
import { searchTables } from './search/search-tables.ts'
import { sharingRoutes } from './sharing/routes.ts'
import { createSnapshot } from './snapshots/create-snapshot.ts'
import { deleteSnapshot } from './snapshots/delete-snapshot.ts'
import { getSnapshot } from './snapshots/get-snapshot.ts'
import { listSnapshots } from './snapshots/list-snapshots.ts'
import { hourlyStats } from './statistics/hourly-stats.ts'
import { tablesRoutes } from './tables/routes.ts'
import { createTicket } from './tickets/create-ticket.ts'
import { tokensRoutes } from './tokens/routes.ts'
import { planConfiguration } from './trials/plan-configuration.ts'
import { previewConfiguration } from './trials/preview-configuration.ts'
import { createTrigger } from './triggers/create-trigger.ts'
import { deleteTrigger } from './triggers/delete-trigger.ts'
import { getTrigger } from './triggers/get-trigger.ts'
import { listTriggers } from './triggers/list-triggers.ts'
import { updateTrigger } from './triggers/update-trigger.ts'
import { workspacesRoutes } from './workspaces/routes.ts'

/** All routes. The first match answers, so a fixed path must precede a parameter in its place. */
export const routes: readonly Route[] = [
  getIndex,
  ...tokensRoutes,
  listBranches,
  createBranch,
  deleteBranch,
  getBranch,
  updateBranch,
  listMergeRequests,
  createMergeRequest,
  getMergeRequest,
  requestReview,
  approveMergeRequest,
  requestChanges,
  mergeMergeRequest,
  ...bucketsRoutes,
  ...sharingRoutes,
  ...tablesRoutes,
  createAlias,
  setAliasFilter,
  removeAliasFilter,
  enableColumnsAutoSync,
  disableColumnsAutoSync,
  createSnapshot,
  listSnapshots,
  getSnapshot,
  deleteSnapshot,
  hourlyStats,
  ...filesRoutes,
  listJobs,
  getJob,
  listRuns,
  getRun,
  approveRun,
  rejectRun,
  listLogLines,
  listDeadLetters,
  redriveAllDeadLetters,
  getDeadLetter,
  redriveDeadLetter,
  deleteDeadLetter,
  listComponents,
  getComponent,
  ...configurationsRoutes,
  planConfiguration,
  previewConfiguration,
  ...rowsRoutes,
  listEvents,
  createEvent,
  getEvent,
  listTableEvents,
  listBucketEvents,
  listTokenEvents,
  ...metadataRoutes,
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
  ...workspacesRoutes,
]
