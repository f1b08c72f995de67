import type { Json } from '../../json/json-value.ts'
import type { RunWatch } from '../paging/completeness.ts'
import type { JobPaginator } from '../paging/create-paginator.ts'
import type { Progress } from '../paging/stop-rules.ts'
import type { FetchedPage, SentPage } from '../requests/http/fetched-page.ts'
import type { PageRequest, RequestOptions } from '../requests/http/page-request.ts'
import type { AddOptions } from '../tables/sink-types.ts'
import type { JobPlan } from './job-plan.ts'
import type { Placeholder } from './placeholders.ts'
import type { Step } from './steps.ts'

/** One run of a job: a top-level job once per iteration, a child once per parent row and placeholder combination. */
export interface JobRun {
  plan: JobPlan
  /** The job's own request: params evaluated, endpoint filled in. */
  request: RequestOptions
  /** User data and parent columns, added to each row. */
  columns: Record<string, Json>
  placeholders: readonly Placeholder[]
  /** The rows above, nearest first; empty for top-level jobs. */
  rows: readonly Json[]
  paginator: JobPaginator
  progress: Progress
  /** The page before, to notice a server that repeats itself; its digest right after a resume, and of one in a file. */
  last: SentPage | string | undefined
  /** Of new runs: looks for circles, and at what answers say of more. */
  watch?: RunWatch | undefined
  /** Of a job that looks step by step: which one this is. */
  step?: Step | undefined
}

/** A page that is still to be fetched and written. */
export interface PageWork {
  run: JobRun
  request: PageRequest
}

/** A page of a sequence; `fetched` is set once its response came, which may be before it can be written. */
export interface PendingPage extends PageWork {
  fetched?: FetchedPage
}

/** Children of the rows of one page, from row `from` on, that have no run yet. */
export interface PendingChildren {
  parent: JobRun
  plan: JobPlan
  items: readonly Json[]
  from: number
}

/** What is still to do in a sequence: pages, and what pages are made of shortly before they are fetched. */
export type Pending = PendingPage | PendingChildren

export const isPage = (pending: Pending): pending is PendingPage => 'request' in pending

/** What a page leads to: rows to write, then the children of its rows, then the rest of the page or the next one. */
export interface PageResult {
  items: readonly Json[]
  /** Where the items are in the response, for the sink. */
  source: AddOptions['source']
  /** What to do next, in this order: the children of the rows, then the rest of the page or the next one. */
  next: (PendingPage | PendingChildren)[]
}
