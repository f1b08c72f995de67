import { routes as aliases } from '../aliases/aliases.ts'
import { routes as branches } from '../branches/branches.ts'
import { routes as buckets } from '../buckets/buckets.ts'
import { routes as components } from '../components/components.ts'
import { routes as configurationCreation } from '../configurations/create-configuration.ts'
import { routes as configurationDeletion } from '../configurations/delete-configuration.ts'
import { routes as configurationReads } from '../configurations/read-configurations.ts'
import { routes as configurationRuns } from '../configurations/run-configuration.ts'
import { routes as configurationUpdates } from '../configurations/update-configuration.ts'
import { routes as deadLetters } from '../dead-letters/dead-letters.ts'
import { routes as events } from '../events/events.ts'
import { routes as encryption } from '../faces/encrypt.ts'
import { routes as queryFace } from '../faces/query.ts'
import { routes as queue } from '../faces/queue.ts'
import { routes as schedules } from '../faces/schedules.ts'
import { routes as files } from '../files/files.ts'
import { routes as uploads } from '../files/receive-upload.ts'
import type { Route } from '../http/route.ts'
import { routes as index } from '../index/get-index.ts'
import { routes as jobs } from '../jobs/jobs.ts'
import { routes as jobReads } from '../jobs/submit-job.ts'
import { metadataRoutes } from '../metadata/table-metadata.ts'
import { routes as names } from '../names/column-names.ts'
import { routes as queries } from '../queries/run-query.ts'
import { routes as rowChanges } from '../rows/change-row.ts'
import { routes as rowReads } from '../rows/read-rows.ts'
import { routes as runs } from '../runs/runs.ts'
import { routes as globalSearch } from '../search/global-search.ts'
import { routes as runStats } from '../search/run-stats.ts'
import { routes as metadataSearch } from '../search/search-metadata.ts'
import { routes as snapshots } from '../snapshots/snapshots.ts'
import { routes as tableChanges } from '../tables/change-table.ts'
import { routes as columns } from '../tables/columns.ts'
import { routes as tableCreation } from '../tables/create-table.ts'
import { routes as rowDeletion } from '../tables/delete-rows.ts'
import { routes as exports } from '../tables/export-table.ts'
import { importer, routes as imports } from '../tables/import-table.ts'
import { routes as previews } from '../tables/preview-table.ts'
import { routes as tableReads } from '../tables/read-tables.ts'
import { routes as tickets } from '../tickets/create-ticket.ts'
import { routes as tokens } from '../tokens/tokens.ts'
import { routes as trials } from '../trials/trials.ts'
import { routes as triggers } from '../triggers/triggers.ts'
import { routes as workspaces } from '../workspaces/workspaces.ts'

/** All routes. The first match answers, so a fixed path must precede a parameter in its place. */
export const routes: readonly Route[] = [
  ...index.list,
  ...tokens.list,
  ...branches.list,
  ...buckets.list,
  ...tableReads.list,
  ...tableCreation.list,
  ...imports.list,
  ...exports.list,
  ...tableChanges.list,
  ...columns.list,
  ...rowDeletion.list,
  ...previews.list,
  ...queries.list,
  ...aliases.list,
  ...snapshots.list,
  ...files.list,
  ...uploads.list,
  ...importer.list,
  ...jobs.list,
  ...jobReads.list,
  ...runs.list,
  ...deadLetters.list,
  ...components.list,
  ...configurationReads.list,
  ...configurationCreation.list,
  ...configurationUpdates.list,
  ...configurationDeletion.list,
  ...configurationRuns.list,
  ...trials.list,
  ...rowReads.list,
  ...rowChanges.list,
  ...events.list,
  ...metadataRoutes,
  ...tickets.list,
  ...names.list,
  ...globalSearch.list,
  ...runStats.list,
  ...metadataSearch.list,
  ...triggers.list,
  ...encryption.list,
  ...schedules.list,
  ...queue.list,
  ...queryFace.list,
  ...workspaces.list,
]
