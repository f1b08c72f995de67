import { configurationForms } from './pages/configuration-changes.ts'
import { configurationTrials } from './pages/configuration-trials.tsx'
import { configurationPages } from './pages/configurations.tsx'
import { deadLetterPages } from './pages/dead-letters.tsx'
import { draftPages } from './pages/drafts.tsx'
import { dropPages } from './pages/drop.tsx'
import { eventPages } from './pages/events.tsx'
import { filePages } from './pages/files.tsx'
import { jobPages } from './pages/jobs.tsx'
import { overviewPages } from './pages/overview.tsx'
import { queryPages } from './pages/query.tsx'
import { runPages } from './pages/runs.tsx'
import { searchPages } from './pages/search.tsx'
import { tablePages } from './pages/table.tsx'
import { tableForms } from './pages/table-changes.ts'
import { tableListPages } from './pages/tables.tsx'
import { tokenPages } from './pages/tokens.tsx'
import type { Route } from './route.ts'

/** Every page of the console and what its forms do. */
export const routes: readonly Route[] = [
  ...overviewPages,
  ...tableListPages,
  ...tablePages,
  ...tableForms,
  ...queryPages,
  ...dropPages,
  ...jobPages,
  ...runPages,
  ...deadLetterPages,
  ...draftPages,
  ...configurationPages,
  ...configurationForms,
  ...configurationTrials,
  ...filePages,
  ...eventPages,
  ...tokenPages,
  ...searchPages,
]
