import {
  disableColumnsAutoSync,
  enableColumnsAutoSync,
  removeAliasFilter,
  setAliasFilter,
} from '../aliases/change-alias.ts'
import { createAlias } from '../aliases/create-alias.ts'
import { createBranch, deleteBranch, getBranch, listBranches, updateBranch } from '../branches/branches.ts'
import { bucketsRoutes } from '../buckets/routes.ts'
import { getComponent, listComponents } from '../components/components.ts'
import { configurationsRoutes } from '../configurations/routes.ts'
import {
  closeDeadLetters,
  deleteDeadLetter,
  getDeadLetter,
  listDeadLetters,
} from '../dead-letters/read-dead-letters.ts'
import { redriveAllDeadLetters, redriveDeadLetter } from '../dead-letters/redrive-dead-letters.ts'
import { createEvent } from '../events/create-event.ts'
import {
  getEvent,
  listBucketEvents,
  listEvents,
  listTableEvents,
  listTokenEvents,
} from '../events/read-events.ts'
import { encrypt } from '../faces/encrypt.ts'
import { queryRoutes } from '../faces/query.ts'
import { queueRoutes } from '../faces/queue.ts'
import { schedulerRoutes } from '../faces/schedules.ts'
import { filesRoutes } from '../files/routes.ts'
import type { Route } from '../http/route.ts'
import { getIndex } from '../index/get-index.ts'
import { cancelJob } from '../jobs/cancel-job.ts'
import { getJob, listJobs } from '../jobs/read-jobs.ts'
import { metadataRoutes } from '../metadata/routes.ts'
import { validateColumnNames, webalizeColumnNames, webalizeDisplayName } from '../names/column-names.ts'
import { rowsRoutes } from '../rows/routes.ts'
import { cancelRun } from '../runs/cancel-run.ts'
import { noteProgress } from '../runs/note-progress.ts'
import { getRun, listRuns } from '../runs/read-runs.ts'
import { globalSearch } from '../search/global-search.ts'
import { runStats } from '../search/run-stats.ts'
import { searchConfigurations } from '../search/search-configurations.ts'
import { searchTables } from '../search/search-tables.ts'
import {
  createSnapshot,
  deleteSnapshot,
  getSnapshot,
  listSnapshots,
  restoreSnapshot,
} from '../snapshots/snapshots.ts'
import { tablesRoutes } from '../tables/routes.ts'
import { createTicket } from '../tickets/create-ticket.ts'
import { tokensRoutes } from '../tokens/routes.ts'
import { draftConfiguration } from '../trials/draft-configuration.ts'
import { previewConfiguration } from '../trials/preview-configuration.ts'
import {
  createTrigger,
  deleteTrigger,
  getTrigger,
  listTriggers,
  updateTrigger,
} from '../triggers/triggers.ts'
import { workspacesRoutes } from '../workspaces/workspaces.ts'
import { notOfferedRoutes } from './not-offered.ts'

/** All routes. The first match answers, so a fixed path must precede a parameter in its place. */
export const routes: readonly Route[] = [
  ...notOfferedRoutes,
  getIndex,
  ...tokensRoutes,
  listBranches,
  createBranch,
  deleteBranch,
  getBranch,
  updateBranch,
  ...bucketsRoutes,
  ...tablesRoutes,
  createAlias,
  setAliasFilter,
  removeAliasFilter,
  enableColumnsAutoSync,
  disableColumnsAutoSync,
  createSnapshot,
  listSnapshots,
  getSnapshot,
  restoreSnapshot,
  deleteSnapshot,
  ...filesRoutes,
  listJobs,
  getJob,
  cancelJob,
  listRuns,
  getRun,
  cancelRun,
  noteProgress,
  listDeadLetters,
  redriveAllDeadLetters,
  closeDeadLetters,
  getDeadLetter,
  redriveDeadLetter,
  deleteDeadLetter,
  listComponents,
  getComponent,
  ...configurationsRoutes,
  draftConfiguration,
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
  encrypt,
  ...schedulerRoutes,
  ...queueRoutes,
  ...queryRoutes,
  ...workspacesRoutes,
]
