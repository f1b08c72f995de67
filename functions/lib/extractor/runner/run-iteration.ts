import { UserError } from '../../errors/errors.ts'
import type { Authenticator } from '../authentication/authenticator.ts'
import type { ApiSession, FetchedPage } from '../http/api-session.ts'
import { checkGraphqlErrors } from '../http/graphql-errors.ts'
import type { PageEnd } from '../http/parse-response.ts'
import type { Page } from '../pagination/paginator.ts'
import { volumeOf } from '../pagination/stop-rules.ts'
import type { Json } from '../tables/json-value.ts'
import type { TableSink } from '../tables/sink-types.ts'
import { checkEnd, checkPage } from './check-run.ts'
import type { JobContext } from './job-context.ts'
import { allPlans, groupByTable, type JobPlan } from './job-plan.ts'
import type { JobRun, PageResult, PageWork } from './job-run.ts'
import { locateError } from './locate-error.ts'
import { digestOf, dropItems, isFirstPart, itemsOfPage, nextItems } from './page-items.ts'
import { type Pending, runSequences } from './run-sequences.ts'
import { fingerprint, isSameResponse } from './same-response.ts'
import { expandChildren, pendingChildren, startRun } from './start-run.ts'
import type { StopSignal } from './stop-signal.ts'

export interface IterationOptions {
  plans: readonly JobPlan[]
  context: JobContext
  session: ApiSession
  authenticator: Authenticator
  sink: TableSink
  concurrency: number
  stop: StopSignal
  /** Pages left over by the leg before. */
  sequences?: Pending[][] | undefined
  /** Called after the rows of a page went to the sink, with its address. */
  onPage?: ((url: string) => void) | undefined
}

/** Runs all jobs of one iteration. Resolves to the pages that a stop left over; none when it is finished. */
export const runIteration = async (options: IterationOptions): Promise<Pending[][]> => {
  const { plans, context, session, authenticator, sink, stop } = options
  const sequences = options.sequences ?? startSequences(plans, context)
  const { maxRows, statistics } = context
  await runSequences({
    sequences,
    // A login before every request is good for one request only
    concurrency: authenticator.oneAtATime === true ? 1 : options.concurrency,
    fetch: async work => {
      const { emptyIsLast } = work.run.pagination
      const answer = answerOf(work, context)
      try {
        const fetched = await session.fetchPage(work.request, authenticator, { emptyIsLast, answer })
        if (fetched.ends === undefined) checkGraphqlErrors(fetched.response, work.run.plan.job, context.log)
        return fetched
      } catch (error) {
        throw locateError(error, work)
      }
    },
    expand: (children, count) => expandChildren(children, count, context),
    read: (work, fetched) => located(work, () => readPage(work, fetched, context)),
    write: (work, { items, source }, { url }) => {
      const { plan, columns } = work.run
      if (items.length > 0) {
        const hasColumns = Object.keys(columns).length > 0
        const added = {
          ...(hasColumns ? { parent: columns } : {}),
          ...(source === undefined ? {} : { source }),
        }
        located(work, () => sink.add(plan.dataType, items, added))
      }
      options.onPage?.(url)
    },
    skip: ({ run }) =>
      statistics.isStopped(run.plan) || (maxRows !== undefined && statistics.rowsOf(run.plan) >= maxRows),
    stop,
  })
  const left = sequences.filter(sequence => sequence.length > 0)
  if (left.length === 0) refuseEmpty(plans, context)
  return left
}

const located = <Result>(work: PageWork, run: () => Result): Result => {
  try {
    return run()
  } catch (error) {
    throw locateError(error, work)
  }
}

const startSequences = (plans: readonly JobPlan[], context: JobContext): Pending[][] =>
  groupByTable(plans, { mappings: context.config.mappings, method: context.defaults.method }).map(group =>
    group.map(plan => {
      context.statistics.started(plan)
      const run = startRun(plan, [], [], context)
      return { run, request: run.pagination.first }
    }),
  )

/** @throws UserError `extractor.job.empty` for a job that must not be empty (`failWhenEmpty`) and gave no row */
const refuseEmpty = (plans: readonly JobPlan[], { statistics }: JobContext): void => {
  for (const plan of allPlans(plans)) {
    if (plan.job.failWhenEmpty !== true || statistics.rowsOf(plan) > 0) continue
    throw new UserError('extractor.job.empty', `Job '${plan.job.endpoint}' gave no rows ("failWhenEmpty").`)
  }
}

/** Takes the items from a fetched page and works out what follows it. Sends nothing, writes nothing. */
const readPage = (work: PageWork, fetched: FetchedPage, context: JobContext): PageResult => {
  const { run } = work
  const { plan, progress } = run
  if (fetched.ends !== undefined) return endByRule(run, fetched.ends, context)
  const isFirst = isFirstPart(fetched)
  if (isFirst && repeats(run, fetched)) {
    // The server repeats itself: drop the page and end the job
    // (docs/reference/extractor-pagination.md#pagination)
    context.log.debug(`Job '${plan.job.endpoint}' finished when last response matched the previous!`)
    context.statistics.ended(plan, 'the response matched the previous one')
    checkEnd(run, undefined, context)
    return { items: [], source: undefined, next: [] }
  }
  run.lastFingerprint = digestOf(fetched)
  run.lastResponse = run.lastFingerprint === undefined ? fetched.response : undefined

  const found = nextItems(work, fetched, context)
  if (found.warning !== undefined) context.log.warning(found.warning)
  const items = limited(plan.filterItems?.(found.items) ?? found.items, run, context)
  context.marks.note(plan, items)
  context.statistics.rows(plan, items.length)
  progress.items += items.length
  if (isFirst) {
    context.statistics.page(plan)
    progress.pages++
    if (run.pagination.countsVolume)
      progress.volume += fetched.items?.file.bytes ?? volumeOf(fetched.response)
  }

  const children = pendingChildren(run, items, context)
  const next =
    found.rest === undefined ? endPage(work, fetched, items, context) : { ...work, fetched: found.rest }
  return {
    items,
    source: items === found.items ? found.source : undefined,
    next: next === undefined ? children : [...children, next],
  }
}

/** How the answers of a job are read, when not as JSON only. */
const answerOf = ({ run: { plan, request } }: PageWork, { response }: JobContext) => {
  const settings = plan.job.response ?? response
  if (settings === undefined) return undefined
  return { settings, dataField: plan.job.dataField, endpoint: request.endpoint ?? plan.job.endpoint }
}

const endPage = (
  work: PageWork,
  fetched: FetchedPage,
  items: readonly Json[],
  context: JobContext,
): PageWork | undefined => {
  const next = nextPage(work, fetched, itemsOfPage(work, fetched, items, context), context)
  dropItems(fetched, context)
  return next
}

/** A page that an error rule let pass: no items, and nothing after it. */
const endByRule = (run: JobRun, ends: PageEnd, context: JobContext): PageResult => {
  const { statistics } = context
  if (ends === 'job') statistics.stopped(run.plan)
  else statistics.ended(run.plan, 'an error rule ignored the response')
  checkEnd(run, ends === 'job' ? 'an error rule ended the job' : undefined, context)
  return { items: [], source: undefined, next: [] }
}

const repeats = (run: JobRun, fetched: FetchedPage): boolean => {
  const { response } = fetched
  const digest = digestOf(fetched)
  if (digest !== undefined) return run.lastFingerprint === digest
  if (run.lastResponse !== undefined) return isSameResponse(run.lastResponse, response)
  return run.lastFingerprint !== undefined && run.lastFingerprint === fingerprint(response)
}

const limited = (items: Json[], run: JobRun, context: JobContext): Json[] => {
  if (context.maxRows === undefined) return items
  const left = Math.max(0, context.maxRows - context.statistics.rowsOf(run.plan))
  return items.length > left ? items.slice(0, left) : items
}

const nextPage = (
  { run, request }: PageWork,
  fetched: FetchedPage,
  items: Page['items'],
  context: JobContext,
): PageWork | undefined => {
  const { plan, pagination, progress } = run
  const { response, headers, url } = fetched
  const page = { response, items, headers, url }
  const isPreviewed = context.maxRows !== undefined && context.statistics.rowsOf(plan) >= context.maxRows
  const stop = isPreviewed ? undefined : pagination.stop(page, progress, context.now())
  const reason = isPreviewed ? 'the preview is full' : stop?.reason
  const next = reason === undefined ? pagination.next(page, request) : undefined
  checkPage(run, page, context)
  if (next !== undefined) return { run, request: next }
  checkEnd(run, stop?.isCut === true ? stop.reason : undefined, context)
  context.statistics.ended(plan, reason ?? pagination.ended)
  context.log.debug(`Job '${plan.job.endpoint}' finished: ${reason ?? pagination.ended}.`)
  return undefined
}
