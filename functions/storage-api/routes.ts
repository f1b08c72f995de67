import { aliasesRoutes } from './aliases/routes.ts'
import { branchesRoutes } from './branches/routes.ts'
import { bucketsRoutes } from './buckets/routes.ts'
import { componentsRoutes } from './components/routes.ts'
import { configurationsRoutes } from './configurations/routes.ts'
import { deadLettersRoutes } from './dead-letters/routes.ts'
import { eventsRoutes } from './events/routes.ts'
import { filesRoutes } from './files/routes.ts'
import type { Route } from './http/route.ts'
import { indexRoutes } from './index/routes.ts'
import { jobsRoutes } from './jobs/routes.ts'
import { logsRoutes } from './logs/routes.ts'
import { mergeRequestsRoutes } from './merge-requests/routes.ts'
import { metadataRoutes } from './metadata/routes.ts'
import { namesRoutes } from './names/routes.ts'
import { rowsRoutes } from './rows/routes.ts'
import { runsRoutes } from './runs/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { sharingRoutes } from './sharing/routes.ts'
import { snapshotsRoutes } from './snapshots/routes.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import { tablesRoutes } from './tables/routes.ts'
import { ticketsRoutes } from './tickets/routes.ts'
import { tokensRoutes } from './tokens/routes.ts'
import { trialsRoutes } from './trials/routes.ts'
import { triggersRoutes } from './triggers/routes.ts'
import { workspacesRoutes } from './workspaces/routes.ts'

/** All routes. The first match answers, so a fixed path must precede a parameter in its place. */
export const routes: readonly Route[] = [
  ...indexRoutes,
  ...tokensRoutes,
  ...branchesRoutes,
  ...mergeRequestsRoutes,
  ...bucketsRoutes,
  ...sharingRoutes,
  ...tablesRoutes,
  ...aliasesRoutes,
  ...snapshotsRoutes,
  ...statisticsRoutes,
  ...filesRoutes,
  ...jobsRoutes,
  ...runsRoutes,
  ...logsRoutes,
  ...deadLettersRoutes,
  ...componentsRoutes,
  ...configurationsRoutes,
  ...trialsRoutes,
  ...rowsRoutes,
  ...eventsRoutes,
  ...metadataRoutes,
  ...ticketsRoutes,
  ...namesRoutes,
  ...searchRoutes,
  ...triggersRoutes,
  ...workspacesRoutes,
]
