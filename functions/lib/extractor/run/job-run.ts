import type { Json } from '../../json/json-value.ts'
import type { PassRecording } from '../paging/completeness/pass-recording.ts'
import type { RunCheck } from '../paging/completeness/run-check.ts'
import type { RunWatch } from '../paging/completeness/run-watch.ts'
import type { JobPaginator } from '../paging/create-paginator.ts'
import type { Progress } from '../paging/stop-rules.ts'
import type { Window } from '../paging/windows/windows.ts'
import type { FetchedPage } from '../requests/http/fetched-page.ts'
import type { PageRequest, RequestOptions } from '../requests/http/page-request.ts'
import type { BytePage } from '../tables/bytes/byte-page.ts'
import type { AddOptions, BytesRead } from '../tables/sink-types.ts'
import type { JobPlan } from './job-plan.ts'
import type { Placeholder } from './placeholders.ts'

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
  /** The previous page, to notice a server that repeats itself. */
  lastPage: ReadPage | undefined
  /** In place of `lastPage` right after a resume. */
  lastFingerprint: string | undefined
  /** Of new runs: looks for circles, and at what answers say of more. */
  watch?: RunWatch | undefined
  /** Of a report in several files: those after this one. */
  downloads?: readonly RequestOptions[] | undefined
  /** What it is asked for, of a job with windows. */
  window?: RunWindow | undefined
  /** From the first page on, when the job is checked for completeness. */
  check?: RunCheck | undefined
  /** While its pages are read until two passes give the same rows ("repair"). */
  passes?: Passes | undefined
  /** Once it has ended: why not all of it was asked for. */
  cut?: string | undefined
  /** Its rows come from the recording of the last pass: no request follows. */
  isRecorded?: boolean | undefined
}

/**
 * The pages of one run of a job, read until two passes after each other gave the same ids in the same order
 * (docs/reference/extractor-jobs.md#repair). Nothing goes to tables before that, so nothing has to be taken back.
 */
export interface Passes {
  /** Of the pass under way, from 1. */
  number: number
  recording: PassRecording
  check: RunCheck
  /** Of the pass before. */
  before: RunCheck | undefined
  /** How each pass differed from the one before, in words. */
  moved: string[]
}

export interface RunWindow extends Window {
  /** Which progress it belongs to: that of a parent row, or the one without a name. */
  part: string
}

/** A page that was read, as values or as bytes. */
export interface ReadPage {
  fetched: FetchedPage
  bytes: BytePage | undefined
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

/** Windows of a job from `number` on that have no run yet. */
export interface PendingWindows {
  plan: JobPlan
  placeholders: readonly Placeholder[]
  rows: readonly Json[]
  part: string
  /** All windows together. */
  whole: Window
  number: number
}

/** Stands behind the last page of a window and the children of its rows. */
export interface WindowEnd {
  plan: JobPlan
  part: string
  end: number
}

/** What is still to do in a sequence: pages, and what pages are made of shortly before they are fetched. */
export type Pending = PendingPage | PendingChildren | PendingWindows | WindowEnd

export const isPage = (pending: Pending): pending is PendingPage => 'request' in pending
export const isChildren = (pending: Pending): pending is PendingChildren => 'items' in pending
export const isWindowEnd = (pending: Pending): pending is WindowEnd => 'end' in pending

/** What a page leads to: rows to write, then the children of its rows, then the rest of the page or the next one. */
export interface PageResult {
  items: readonly Json[]
  /** In place of `items`: a page whose rows are written. */
  bytes?: BytesRead | undefined
  /** Where the items are in the response, for the sink. */
  source: AddOptions['source']
  /** What to do next, in this order: the children of the rows, then the rest of the page or the next one. */
  next: (PendingPage | PendingChildren)[]
}
