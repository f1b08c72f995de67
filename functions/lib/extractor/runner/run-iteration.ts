import { UserError } from '../../errors/errors.ts'
import type { Authenticator } from '../authentication/authenticator.ts'
import { completenessOf } from '../config/completeness-schema.ts'
import type { ApiSession } from '../http/api-session.ts'
import type { FetchedPage } from '../http/fetched-page.ts'
import { checkGraphqlErrors } from '../http/graphql-errors.ts'
import type { Shaper } from '../records/create-shaper.ts'
import type { Json } from '../tables/json-value.ts'
import type { AddOptions, TableSink } from '../tables/sink-types.ts'
import { expandChildren } from './expand-children.ts'
import type { JobContext } from './job-context.ts'
import { allPlans, groupByTable, type JobPlan } from './job-plan.ts'
import { isChildren, isPage, type JobRun, type PageResult, type PageWork, type Pending } from './job-run.ts'
import { makeReport } from './make-report.ts'
import { cutRun, readPage } from './read-page.ts'
import { CUT_SHORT, type RunBounds } from './run-bounds.ts'
import { runSequences } from './run-sequences.ts'
import { breakWindowsAbove, dropWindow, endWindow, isBroken } from './run-window.ts'
import { expandWindows, startJob } from './start-job.ts'
import { expressionContexts } from './start-run.ts'
import type { StopSignal } from './stop-signal.ts'

export interface IterationOptions {
  plans: readonly JobPlan[]
  context: JobContext
  session: ApiSession
  authenticator: Authenticator
  sink: TableSink
  /** Waits; rejects with `Stopped` when the run is stopped. */
  wait: (seconds: number) => Promise<void>
  concurrency: number
  stop: StopSignal
  bounds: RunBounds
  /** Pages left over by the leg before. */
  sequences?: Pending[][] | undefined
  /** Called after the rows of a page went to the sink, with its address. */
  onPage?: ((url: string) => void) | undefined
}

/** Runs all jobs of one iteration. Resolves to the pages that a stop left over; none when it is finished. */
export const runIteration = async (options: IterationOptions): Promise<Pending[][]> => {
  const { plans, context, session, authenticator, sink, stop, bounds } = options
  const sequences = options.sequences ?? startSequences(plans, context)
  const { maxRows, statistics } = context
  if (maxRows !== undefined) sayReadOnce(plans, context)
  const isOver = (plan: JobPlan): boolean =>
    statistics.isStopped(plan) || (maxRows !== undefined && statistics.rowsOf(plan) >= maxRows)
  await runSequences({
    sequences,
    // A login before every request is good for one request only
    concurrency: authenticator.oneAtATime === true ? 1 : options.concurrency,
    fetch: async work => {
      try {
        const ended = await makeReport(
          work,
          {
            fetch: request => session.fetchPage(request, authenticator, { emptyIsLast: false }),
            wait: options.wait,
          },
          context,
        )
        if (ended !== undefined) return ended
        const { emptyIsLast } = work.run.pagination
        const answer = answerOf(work, context)
        const fetched = await session.fetchPage(work.request, authenticator, {
          emptyIsLast,
          answer,
          isEnough: isEnoughOf(work, context),
        })
        if (fetched.ends === undefined && work.run.plan.job.graphql !== undefined)
          checkGraphqlErrors(fetched.response, work.run.plan.job, context.log)
        return fetched
      } catch (error) {
        throw locateError(error, work)
      }
    },
    expand: (pending, count) =>
      isChildren(pending)
        ? expandChildren(pending, count, context)
        : isOver(pending.plan)
          ? { pages: [], rest: undefined }
          : expandWindows(pending, count, context),
    read: (work, fetched) => located(work, () => readPage(work, fetched, context, sink)),
    write: (work, result, fetched) => writePage(work, result, fetched, options),
    endWindow: end => endWindow(end, context),
    breakWindowsAbove: (run, ends) => breakWindowsAbove(run, ends, context),
    dropWindow: end => dropWindow(end, context),
    skip: ({ run }) =>
      // What was read before an error rule or a limit ended the job counts
      (run.isRecorded !== true &&
        (statistics.isStopped(run.plan) || isBroken(run.plan, run.window, context))) ||
      (maxRows !== undefined && statistics.rowsOf(run.plan) >= maxRows),
    isClosed: () => bounds.reached !== undefined,
    drop: pending => {
      if (isPage(pending)) return cutRun(pending.run, CUT_SHORT, context)
      statistics.ended(pending.plan, CUT_SHORT)
      return undefined
    },
    stop,
  })
  const left = sequences.filter(sequence => sequence.length > 0)
  if (left.length === 0) refuseEmpty(plans, context)
  return left
}

/** Two passes give the same rows only when both are whole. */
const sayReadOnce = (plans: readonly JobPlan[], { log }: JobContext): void => {
  for (const { job } of allPlans(plans)) {
    if (job.completeness === undefined || completenessOf(job.completeness).mode !== 'repair') continue
    log.info(`Job '${job.endpoint}' is read once: in a preview "repair" does nothing.`)
  }
}

const startSequences = (plans: readonly JobPlan[], context: JobContext): Pending[][] =>
  groupByTable(plans, { mappings: context.config.mappings, method: context.defaults.method }).map(group =>
    group.flatMap(plan => startJob(plan, [], [], context)),
  )

/** @throws UserError `extractor.job.empty` for a job that must not be empty (`failWhenEmpty`) and gave no row */
const refuseEmpty = (plans: readonly JobPlan[], { statistics }: JobContext): void => {
  for (const plan of allPlans(plans)) {
    if (plan.job.failWhenEmpty !== true || statistics.rowsOf(plan) > 0) continue
    throw new UserError('extractor.job.empty', `Job '${plan.job.endpoint}' gave no rows ("failWhenEmpty").`)
  }
}

/** How the answers of a job are read, when not as JSON only. */
const answerOf = ({ run: { plan, request } }: PageWork, { response }: JobContext) => {
  const settings = plan.job.response ?? response
  if (settings === undefined) return undefined
  return { settings, dataField: plan.job.dataField, endpoint: request.endpoint ?? plan.job.endpoint }
}

/**
 * Which headers a kept answer needs from a server that says that nothing has changed. Undefined: the page is asked for whole, as a proof that
 * nothing is missing needs answers of now.
 */
const isEnoughOf = ({ run: { plan, pagination } }: PageWork, { isConditional }: JobContext) =>
  isConditional === true && plan.job.completeness === undefined
    ? (pagination.hasNext ?? (() => true))
    : undefined

interface PageWriteOptions {
  sink: TableSink
  context: JobContext
  /** Called after the rows of a page went to the sink, with its address. */
  onPage?: ((url: string) => void) | undefined
}

/** Hands the rows of a page to the tables. */
const writePage = (
  work: PageWork,
  { items, bytes, source }: Pick<PageResult, 'items' | 'bytes' | 'source'>,
  { url }: Pick<FetchedPage, 'url'>,
  { sink, context, onPage }: PageWriteOptions,
): void => {
  const { plan, columns } = work.run
  const added: AddOptions = {
    ...(Object.keys(columns).length > 0 ? { parent: columns } : {}),
    ...(source === undefined ? {} : { source }),
  }
  const addRows = (rows: readonly Json[], options: AddOptions): void => {
    context.noteKeys?.(work.run, rows)
    sink.add(plan.dataType, rows, options)
  }
  located(work, () => {
    if (bytes !== undefined) sink.take(plan.dataType, bytes, added)
    else if (plan.shape !== undefined)
      for (const rows of shapedRows(work.run, plan.shape, items, context)) addRows(rows, { parent: columns })
    else if (items.length > 0) addRows(items, added)
  })
  onPage?.(url)
}

const located = <T>(work: PageWork, use: () => T): T => {
  try {
    return use()
  } catch (error) {
    throw locateError(error, work)
  }
}

/** Rows in memory at once: a list of an item may become very many. */
const ROWS_AT_ONCE = 1000

/** What `records` makes of the items of a page, some at a time. */
function* shapedRows(
  { plan, rows: above }: JobRun,
  shape: Shaper,
  items: readonly Json[],
  context: JobContext,
): Generator<Json[]> {
  const { statistics, now } = context
  const shaped = shape(items, {
    contexts: expressionContexts(context, above),
    now: Math.floor(now()),
    onCast: (field, outcome) => statistics.cast(plan, field, outcome),
  })
  let rows: Json[] = []
  for (const row of shaped) {
    rows.push(row)
    if (rows.length < ROWS_AT_ONCE) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

/** A user's error with the job and the request that it came from in its params; others as they are. */
const locateError = (error: unknown, { run: { plan }, request }: PageWork): unknown => {
  if (!(error instanceof UserError)) return error
  const { code, message, status, params, cause } = error
  const place = { job: plan.path, dataType: plan.dataType, request: `${request.method} ${request.endpoint}` }
  return new UserError(code, message, { status, params: { ...place, ...params }, cause })
}
