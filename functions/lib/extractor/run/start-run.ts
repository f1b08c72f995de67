import { UserError } from '../../errors/errors.ts'
import { isContainer, isObject, type Json } from '../../json/json-value.ts'
import type { RunWatch } from '../paging/completeness.ts'
import { createPaginator, type JobPaginator, type Progress } from '../paging/create-paginator.ts'
import { fillText, type PageRequest, type RequestOptions } from '../requests/http/page-request.ts'
import type { FetchedPage, SentPage } from '../requests/http/parse-response.ts'
import { evaluate as evaluateOne } from '../values/functions/evaluate.ts'
import { isEmpty, toText } from '../values/php/php-values.ts'
import { askFor, type Step } from './incremental.ts'
import {
  cutValue,
  fillEndpoint,
  type JobPlan,
  lacksValue,
  type Placeholder,
  parentColumns,
  resolvePlaceholders,
} from './job-plan.ts'
import type { Iteration } from './prepare-iteration.ts'
import { SKIPPED_ROW } from './run-statistics.ts'

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
  /** Looks for circles, and at what answers say of more. */
  watch?: RunWatch | undefined
  /** Of a job that looks step by step: which one this is. */
  step?: Step | undefined
}

/** A page that is still to be fetched or written. */
export interface PendingPage {
  run: JobRun
  request: PageRequest
  /** It was asked for. `error`: why no answer came, which counts in its turn. */
  asked?: { error?: unknown } | undefined
  /** Its answer, which may have come before it can be written. */
  fetched?: FetchedPage
}

/** Children of the rows of one page, from row `from` on, that have no run yet. */
interface PendingChildren {
  parent: JobRun
  plan: JobPlan
  items: readonly Json[]
  from: number
}

/** What is still to do in a sequence: pages, and what pages are made of shortly before they are fetched. */
export type Pending = PendingPage | PendingChildren

export const isPage = (pending: Pending): pending is PendingPage => 'request' in pending

/** The first page of a new run of a job, or of one step of it. */
export const startRun = (
  plan: JobPlan,
  { placeholders, rows }: Pick<JobRun, 'placeholders' | 'rows'>,
  iteration: Iteration,
  step?: Step,
): PendingPage => {
  const run = createRun(plan, placeholders, rows, iteration, step)
  iteration.statistics.of(plan).runs++
  return { run, request: run.paginator.first }
}

/** Params and user data are worked out once here, not per page (docs/reference/extractor-jobs.md#jobs). */
const createRun = (
  plan: JobPlan,
  placeholders: readonly Placeholder[],
  rows: readonly Json[],
  iteration: Iteration,
  step?: Step,
): JobRun => {
  const { job } = plan
  const { attributes, time, evaluate, statistics, now } = iteration
  const contexts = { attr: attributes, time }
  const asked = askFor(plan, contexts, iteration, step)
  const params = { ...evaluate({ ...job.params }, contexts, `jobs.${plan.path}.params`), ...asked.params }
  const cut = cutValue(job.endpoint, placeholders)
  if (cut !== undefined) statistics.note(plan, 'cut', cut)
  const request: RequestOptions = {
    endpoint: fillEndpoint(job.endpoint, placeholders),
    method: job.body === undefined ? job.method : job.body.method,
    params: Array.isArray(job.params) ? Object.values(params) : params,
    headers: (job.headers ?? {}) as Record<string, Json>, // values of a configuration are JSON
    ...textBody(plan, placeholders, contexts, iteration),
  }
  return {
    plan,
    request,
    columns: { ...userData(plan, iteration, contexts), ...parentColumns(placeholders) },
    placeholders,
    // Only children look further up; leaves need not hold on to the rows
    rows: plan.children.length === 0 ? [] : rows,
    paginator: paginatorOf(plan, request, iteration),
    progress: { pages: 0, items: 0, volume: 0, startedAt: now() },
    last: undefined,
    step: asked.step,
  }
}

/** The paginator of a run; also made anew when a run is read back from a checkpoint. */
export const paginatorOf = (plan: JobPlan, request: RequestOptions, iteration: Iteration): JobPaginator => {
  const { parsed, defaults, now, log } = iteration
  return createPaginator(parsed.api.pagination, plan.job.scroller, { job: request, defaults, now, log })
}

/**
 * `config.userData` (a scalar becomes column `userData`) for top-level jobs only, overlaid by the job's own (a scalar
 * becomes `job_parent_id`).
 */
const userData = (
  plan: JobPlan,
  { config, hidesColumn, now }: Iteration,
  contexts: Record<string, Json>,
): Record<string, Json> => {
  const shared = !plan.path.includes('.') ? asColumns(config.userData, 'userData') : {}
  const columns = { ...shared, ...asColumns(plan.job.userData, 'job_parent_id') }
  const result: Record<string, Json> = {}
  for (const [name, value] of Object.entries(columns)) {
    const path = `userData.${name}`
    if (hidesColumn(name, value)) result[name] = '***'
    else
      result[name] = isObject(value)
        ? evaluateOne(value, contexts, { path, now: Math.floor(now()) })
        : (value as Json) // JSON
  }
  return result
}

const asColumns = (value: unknown, name: string): Record<string, unknown> => {
  if (isEmpty(value)) return {}
  return isContainer(value) ? { ...value } : { [name]: value }
}

const DEFAULT_TYPE = 'text/plain; charset=utf-8'

/**
 * The body of a job, its expressions worked out and placeholders of the parent row filled in. Params of a page are
 * filled in when the page is sent.
 *
 * @throws UserError `extractor.request.body` for what is not a single value
 */
const textBody = (
  { job, path }: JobPlan,
  placeholders: readonly Placeholder[],
  contexts: Record<string, Json>,
  { evaluate }: Iteration,
): Pick<RequestOptions, 'body'> => {
  if (job.body === undefined) return {}
  const { json, form } = job.body
  const at = `jobs.${path}.body`
  if (json !== undefined) return { body: { json: evaluate({ json }, contexts, at)['json'] ?? null } }
  if (form !== undefined) return { body: { form: evaluate(form, contexts, `${at}.form`) } }
  const { text } = evaluate({ text: job.body.text }, contexts, at)
  if (text === undefined || isObject(text) || Array.isArray(text))
    throw new UserError(
      'extractor.request.body',
      `The "text" of the body at jobs.${path} is not a text: write it as one text, or make one with a function.`,
    )
  const values = Object.fromEntries(placeholders.map(({ name, value }) => [name, value]))
  return {
    body: { text: fillText(toText(text), values).text, contentType: job.body.contentType ?? DEFAULT_TYPE },
  }
}

/** The child jobs of the rows of one page, in the order of the configuration, each for all rows. */
export const pendingChildren = (
  parent: JobRun,
  items: readonly Json[],
  { log }: Iteration,
): PendingChildren[] => {
  if (items.length === 0) return []
  for (const { job } of parent.plan.children)
    if (Object.keys(job.placeholders ?? {}).length === 0)
      log.warning(`No 'placeholders' set for '${job.endpoint}'`)
  return parent.plan.children.map(plan => ({ parent, plan, items, from: 0 }))
}

/**
 * The first pages of the next children, at least `count` if there are so many, and what is left of them. Runs are made when
 * they are soon needed: a page of a hundred thousand rows must not cost as many runs at once.
 *
 * @throws UserError for a placeholder that the row has no value for
 */
export const expandChildren = (
  { parent, plan, items, from }: PendingChildren,
  count: number,
  iteration: Iteration,
): Pending[] => {
  const pending: Pending[] = []
  let position = from
  for (; position < items.length && pending.length < count; position++) {
    const item = items[position] ?? null
    if (plan.rowFilter !== undefined && !plan.rowFilter(item)) continue
    pending.push(...runsFor(parent, plan, item, iteration))
  }
  if (position < items.length) pending.push({ parent, plan, items, from: position })
  return pending
}

/** One run per combination of the placeholders' values. */
const runsFor = (parent: JobRun, plan: JobPlan, item: Json, iteration: Iteration): PendingPage[] => {
  const rows = [item, ...parent.rows]
  const { placeholders } = plan.job
  const now = Math.floor(iteration.now())
  const sets = resolvePlaceholders(placeholders, rows, parent.placeholders, now)
  if (sets.length === 0 && lacksValue(placeholders, rows)) iteration.statistics.ended(plan, SKIPPED_ROW)
  // Without any placeholder all rows would ask the same
  return sets.filter(set => set.length > 0).map(set => startRun(plan, { placeholders: set, rows }, iteration))
}
