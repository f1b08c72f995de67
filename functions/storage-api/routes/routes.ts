import { routes as aliasChanges } from '../aliases/change-alias.ts'
import { routes as aliasCreation } from '../aliases/create-alias.ts'
import { routes as branches } from '../branches/branches.ts'
import { routes as bucketOwners } from '../buckets/bucket-owner.ts'
import { routes as bucketChanges } from '../buckets/change-bucket.ts'
import { routes as bucketCreation } from '../buckets/create-bucket.ts'
import { routes as bucketReads } from '../buckets/read-buckets.ts'
import { routes as components } from '../components/components.ts'
import { routes as configurationCopies } from '../configurations/copy-configuration.ts'
import { routes as configurationCreation } from '../configurations/create-configuration.ts'
import { routes as configurationDeletion } from '../configurations/delete-configuration.ts'
import { routes as configurationReads } from '../configurations/read-configurations.ts'
import { routes as configurationReset } from '../configurations/reset-configuration.ts'
import { routes as configurationRuns } from '../configurations/run-configuration.ts'
import { routes as configurationUpdates } from '../configurations/update-configuration.ts'
import { routes as deadLetters } from '../dead-letters/read-dead-letters.ts'
import { routes as redrives } from '../dead-letters/redrive-dead-letters.ts'
import { routes as eventCreation } from '../events/create-event.ts'
import { routes as eventReads } from '../events/read-events.ts'
import { routes as encryption } from '../faces/encrypt.ts'
import { routes as queryFace } from '../faces/query.ts'
import { routes as queue } from '../faces/queue.ts'
import { routes as schedules } from '../faces/schedules.ts'
import { routes as fileTags } from '../files/file-tags.ts'
import { routes as fileCreation } from '../files/prepare-file.ts'
import { routes as fileReads } from '../files/read-files.ts'
import { routes as uploads } from '../files/upload-file.ts'
import type { Route } from '../http/route.ts'
import { routes as index } from '../index/get-index.ts'
import { routes as jobCancelling } from '../jobs/cancel-job.ts'
import { routes as jobReads } from '../jobs/read-jobs.ts'
import { metadataRoutes } from '../metadata/table-metadata.ts'
import { routes as names } from '../names/column-names.ts'
import { routes as queries } from '../queries/run-query.ts'
import { routes as rowChanges } from '../rows/change-row.ts'
import { routes as rowCreation } from '../rows/create-row.ts'
import { routes as rowReads } from '../rows/read-rows.ts'
import { routes as runCancelling } from '../runs/cancel-run.ts'
import { routes as runProgress } from '../runs/note-progress.ts'
import { routes as runReads } from '../runs/read-runs.ts'
import { routes as globalSearch } from '../search/global-search.ts'
import { routes as runStats } from '../search/run-stats.ts'
import { routes as configurationSearch } from '../search/search-configurations.ts'
import { routes as tableSearch } from '../search/search-tables.ts'
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
import { routes as tokenChanges } from '../tokens/change-token.ts'
import { routes as tokenReads } from '../tokens/read-tokens.ts'
import { routes as drafts } from '../trials/draft-configuration.ts'
import { routes as configurationPreviews } from '../trials/preview-configuration.ts'
import { routes as triggers } from '../triggers/triggers.ts'
import { routes as workspaces } from '../workspaces/workspaces.ts'
import { notOfferedRoutes } from './not-offered.ts'

/** All routes. The first match answers, so a fixed path must precede a parameter in its place. */
export const routes: readonly Route[] = [
  ...notOfferedRoutes,
  ...index.list,
  ...tokenReads.list,
  ...tokenChanges.list,
  ...branches.list,
  ...bucketReads.list,
  ...bucketCreation.list,
  ...bucketChanges.list,
  ...bucketOwners.list,
  ...tableReads.list,
  ...tableCreation.list,
  ...imports.list,
  ...exports.list,
  ...tableChanges.list,
  ...columns.list,
  ...rowDeletion.list,
  ...previews.list,
  ...queries.list,
  ...aliasCreation.list,
  ...aliasChanges.list,
  ...snapshots.list,
  ...fileReads.list,
  ...fileCreation.list,
  ...fileTags.list,
  ...uploads.list,
  ...importer.list,
  ...jobReads.list,
  ...jobCancelling.list,
  ...runReads.list,
  ...runCancelling.list,
  ...runProgress.list,
  ...deadLetters.list,
  ...redrives.list,
  ...components.list,
  ...configurationReads.list,
  ...configurationCreation.list,
  ...configurationUpdates.list,
  ...configurationDeletion.list,
  ...configurationReset.list,
  ...configurationRuns.list,
  ...configurationCopies.list,
  ...drafts.list,
  ...configurationPreviews.list,
  ...rowReads.list,
  ...rowCreation.list,
  ...rowChanges.list,
  ...eventReads.list,
  ...eventCreation.list,
  ...metadataRoutes,
  ...tickets.list,
  ...names.list,
  ...globalSearch.list,
  ...runStats.list,
  ...configurationSearch.list,
  ...tableSearch.list,
  ...triggers.list,
  ...encryption.list,
  ...schedules.list,
  ...queue.list,
  ...queryFace.list,
  ...workspaces.list,
]
