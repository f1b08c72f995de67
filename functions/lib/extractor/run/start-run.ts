import { UserError } from '../../errors/errors.ts'
import { isContainer, isObject, type Json } from '../../json/json-value.ts'
import { createPaginator } from '../paging/create-paginator.ts'
import { fillText, type Params, type RequestOptions } from '../requests/http/page-request.ts'
import { evaluate as evaluateOne } from '../values/functions/evaluate.ts'
import { isEmpty, toText } from '../values/php/php-values.ts'
import type { JobContext } from './job-context.ts'
import type { JobPlan } from './job-plan.ts'
import type { JobRun, PendingChildren, PendingPage } from './job-run.ts'
import {
  type Above,
  cutValue,
  eachOf,
  fillEndpoint,
  lacksValue,
  type Placeholder,
  parentColumns,
  resolvePlaceholders,
} from './placeholders.ts'
import { SKIPPED_ROW } from './run-statistics.ts'
import { askFor, type Step } from './steps.ts'
import { sayAs } from './watch-run.ts'

/**
 * Starts a run, or one step of it: params, headers and user data are worked out once here, not per page
 * (docs/reference/extractor-jobs.md#jobs).
 */
export const startRun = (
  plan: JobPlan,
  placeholders: readonly Placeholder[],
  rows: readonly Json[],
  context: JobContext,
  step?: Step,
): JobRun => {
  const { job } = plan
  const contexts = expressionContexts(context, { rows, placeholders })
  const where = `jobs.${plan.path}`
  const values = context.evaluate({ ...job.params }, contexts, `${where}.params`)
  const asked = askFor(plan, contexts, context, step)
  const params = { ...values, ...asked.params }
  const headers = context.evaluateEverywhere
    ? context.evaluate(job.headers ?? {}, contexts, `${where}.headers`)
    : ((job.headers ?? {}) as Record<string, Json>) // values of a configuration are JSON
  const cut = cutValue(job.endpoint, placeholders)
  if (cut !== undefined) context.statistics.note(plan, 'cut', cut)
  const request: RequestOptions = {
    endpoint: fillEndpoint(job.endpoint, placeholders),
    method: job.body === undefined ? job.method : job.body.method,
    params: Array.isArray(job.params) ? Object.values(params) : params,
    headers,
    ...textBody(plan, placeholders, contexts, context),
  }
  const columns = {
    ...userData(plan, context, contexts),
    ...parentColumns(placeholders),
  }
  const progress = { pages: 0, items: 0, volume: 0, startedAt: context.now() }
  return {
    plan,
    request,
    columns,
    placeholders,
    // Only children and parent values in defaults look further up; leaves need not hold on to the rows
    rows: plan.children.length === 0 && !context.evaluateEverywhere ? [] : rows,
    paginator: paginatorOf(plan, request, { rows, placeholders }, context),
    progress,
    last: undefined,
    step: asked.step,
  }
}

/** The paginator of a run; also made anew when a run is read back from a checkpoint. */
export const paginatorOf = (plan: JobPlan, request: RequestOptions, above: Above, context: JobContext) =>
  createPaginator(context.pagination, plan.job.scroller, {
    job: request,
    defaults: defaultsFor(context, above),
    now: context.now,
    log: context.log,
  })

const defaultsFor = (context: JobContext, above: Above): RequestOptions => {
  const { defaults } = context
  if (!context.evaluateEverywhere) return defaults
  const contexts = expressionContexts(context, above)
  const path = 'api.http.defaultOptions'
  const params = context.evaluate({ ...defaults.params }, contexts, `${path}.params`)
  return {
    ...defaults,
    params: (Array.isArray(defaults.params) ? Object.values(params) : params) as Params, // evaluated values are JSON
    headers: context.evaluate(defaults.headers ?? {}, contexts, `${path}.headers`),
  }
}

/** `attr`, `time` and `each`; with `api.http.evaluate` also `parent`, `parent2`, ... for the rows above. */
const expressionContexts = (context: JobContext, { rows, placeholders }: Above): Record<string, Json> => {
  const contexts: Record<string, Json> = { attr: context.attributes, time: context.time }
  const listed = placeholders.filter(({ path }) => path === undefined)
  if (listed.length > 0) contexts['each'] = Object.fromEntries(listed.map(({ name, value }) => [name, value]))
  if (!context.evaluateEverywhere) return contexts
  for (const [index, row] of rows.entries()) contexts[index === 0 ? 'parent' : `parent${index + 1}`] = row
  return contexts
}

/**
 * `config.userData` (a scalar becomes column `userData`) for top-level jobs only, overlaid by the job's own (a scalar
 * becomes `job_parent_id`).
 */
const userData = (
  plan: JobPlan,
  context: JobContext,
  contexts: Record<string, Json>,
): Record<string, Json> => {
  const shared = !plan.path.includes('.') ? asColumns(context.config.userData, 'userData') : {}
  const columns = { ...shared, ...asColumns(plan.job.userData, 'job_parent_id') }
  const result: Record<string, Json> = {}
  for (const [name, value] of Object.entries(columns)) {
    const path = `userData.${name}`
    if (context.hidesColumn(name, value)) result[name] = '***'
    else
      result[name] = isObject(value)
        ? evaluateOne(value, contexts, { path, now: Math.floor(context.now()) })
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
  { evaluate }: JobContext,
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

/** For each combination of its lists, the first page of a job. */
export const startJob = (
  plan: JobPlan,
  inherited: readonly Placeholder[],
  rows: readonly Json[],
  context: JobContext,
): PendingPage[] => {
  const { each } = plan.job
  if (each === undefined) return [startOne(plan, inherited, rows, context)]
  const where = `jobs.${plan.path}`
  const contexts = expressionContexts(context, { rows, placeholders: inherited })
  const sets = eachOf(context.evaluate(each, contexts, `${where}.each`), inherited, where)
  if (sets.length === 0) {
    const message = `Job '${plan.job.endpoint}' asks for nothing: a list of ${where}.each is empty.`
    sayAs(plan.job.silence ?? context.silence ?? 'warn', plan, message, context)
  }
  return sets.map(placeholders => startOne(plan, placeholders, rows, context))
}

const startOne = (
  plan: JobPlan,
  placeholders: readonly Placeholder[],
  rows: readonly Json[],
  context: JobContext,
): PendingPage => {
  context.statistics.started(plan)
  const run = startRun(plan, placeholders, rows, context)
  return { run, request: run.paginator.first }
}

/** The child jobs of the rows of one page, in the order of the configuration, each for all rows. */
export const pendingChildren = (
  parent: JobRun,
  items: readonly Json[],
  context: JobContext,
): PendingChildren[] => {
  if (items.length === 0) return []
  for (const { job } of parent.plan.children) {
    if (context.evaluateEverywhere || Object.keys(job.placeholders ?? {}).length > 0) continue
    context.log.warning(`No 'placeholders' set for '${job.endpoint}'`)
  }
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
  context: JobContext,
): { pages: PendingPage[]; rest: PendingChildren | undefined } => {
  const pages: PendingPage[] = []
  let position = from
  for (; position < items.length && pages.length < count; position++) {
    const item = items[position] ?? null
    if (plan.rowFilter !== undefined && !plan.rowFilter(item)) continue
    pages.push(...runsFor(parent, plan, item, context))
  }
  return { pages, rest: position < items.length ? { parent, plan, items, from: position } : undefined }
}

/** One run per combination of the placeholders' values. */
const runsFor = (
  parent: JobRun,
  plan: PendingChildren['plan'],
  item: Json,
  context: JobContext,
): PendingPage[] => {
  const rows = [item, ...parent.rows]
  const sets = resolvePlaceholders(
    plan.job.placeholders,
    rows,
    parent.placeholders,
    Math.floor(context.now()),
  )
  if (sets.length === 0 && lacksValue(plan.job.placeholders, rows))
    context.statistics.ended(plan, SKIPPED_ROW)
  // Without any placeholder all rows would ask the same; with parent values in params they do not
  return sets
    .filter(set => set.length > 0 || context.evaluateEverywhere)
    .flatMap(set => startJob(plan, set, rows, context))
}
