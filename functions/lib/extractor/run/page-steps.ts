import { UserError } from '../../errors/errors.ts'
import type { ApiSession } from '../requests/http/api-session.ts'
import type { Authenticator } from '../requests/http/authenticator.ts'
import type { FetchedPage } from '../requests/http/fetched-page.ts'
import { CUT_SHORT, type RunBounds } from '../requests/http/run-bounds.ts'
import type { AddOptions, TableSink } from '../tables/sink-types.ts'
import type { JobContext } from './job-context.ts'
import type { JobPlan } from './job-plan.ts'
import { isPage, type PageResult, type PageWork, type Pending, type PendingPage } from './job-run.ts'
import { cutRun } from './read-page.ts'
import type { StopSignal } from './stop-signal.ts'

export interface IterationOptions {
  plans: readonly JobPlan[]
  context: JobContext
  session: ApiSession
  /** Of the requests of a job. */
  authenticatorOf: (plan: JobPlan) => Authenticator
  sink: TableSink
  wait: (seconds: number) => Promise<void>
  concurrency: number
  stop: StopSignal
  bounds: RunBounds
  /** Called after the rows of a page went to the sink, with its address. */
  onPage: (url: string) => void
}

/** Sends the request of a page. */
export const fetchPage = async (work: PageWork, options: IterationOptions): Promise<FetchedPage> => {
  const { context, session } = options
  const { plan } = work.run
  const authenticator = options.authenticatorOf(plan)
  try {
    const fetched = await session.fetchPage(work.request, authenticator, {
      emptyIsLast: work.run.paginator.emptyIsLast === true,
      answer: answerOf(work, context),
      ruleFor: plan.ruleFor,
    })
    return fetched
  } catch (error) {
    throw locateError(error, work)
  }
}

/** Whether a page is not needed. What was read before an error rule or a limit ended the job counts. */
export const isSkipped = ({ run: { plan } }: PageWork, { statistics, maxRows }: JobContext): boolean =>
  statistics.isStopped(plan) || (maxRows !== undefined && statistics.rowsOf(plan) >= maxRows)

/** Past a limit no more requests are sent. Returns what was read before and still has to be written. */
export const dropPending = (pending: Pending, context: JobContext): PendingPage | undefined => {
  if (isPage(pending)) return cutRun(pending.run, CUT_SHORT, context)
  context.statistics.ended(pending.plan, CUT_SHORT)
  return undefined
}

/** How the answers of a job are read, when not as JSON only. */
const answerOf = ({ run: { plan, request } }: PageWork, { response }: JobContext) => {
  const settings = plan.job.response ?? response
  if (settings === undefined) return undefined
  return { settings, dataField: plan.job.dataField, endpoint: request.endpoint ?? plan.job.endpoint }
}

export const writePage = (
  work: PageWork,
  { items, source }: Pick<PageResult, 'items' | 'source'>,
  { url }: Pick<FetchedPage, 'url'>,
  { sink, onPage }: IterationOptions,
): void => {
  const { plan, columns } = work.run
  const added: AddOptions = {
    ...(Object.keys(columns).length > 0 ? { parent: columns } : {}),
    ...(source === undefined ? {} : { source }),
  }
  located(work, () => {
    if (items.length > 0) sink.add(plan.dataType, items, added)
  })
  onPage(url)
}

export const located = <T>(work: PageWork, use: () => T): T => {
  try {
    return use()
  } catch (error) {
    throw locateError(error, work)
  }
}

/** A user's error with the job and the request that it came from in its params; others as they are. */
const locateError = (error: unknown, { run: { plan }, request }: PageWork): unknown => {
  if (!(error instanceof UserError)) return error
  const { code, message, status, params, cause } = error
  const place = { job: plan.path, dataType: plan.dataType, request: `${request.method} ${request.endpoint}` }
  return new UserError(code, message, { status, params: { ...place, ...params }, cause })
}
