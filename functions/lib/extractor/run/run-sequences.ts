import { setImmediate } from 'node:timers/promises'
import { UserError } from '../../errors/errors.ts'
import type { ApiSession } from '../requests/http/api-session.ts'
import type { Authenticator } from '../requests/http/authenticator.ts'
import type { FetchedPage } from '../requests/http/fetched-page.ts'
import type { AddOptions, TableSink } from '../tables/sink-types.ts'
import type { JobContext } from './job-context.ts'
import { allPlans, type JobPlan } from './job-plan.ts'
import {
  isPage,
  type JobRun,
  type PageResult,
  type PageWork,
  type Pending,
  type PendingPage,
} from './job-run.ts'
import { readPage } from './read-page.ts'
import { expandChildren } from './start-run.ts'
import { Stopped, type StopSignal } from './stop-signal.ts'

/** Writes what was read, in its turn. */
type Write = () => void

interface Request {
  state: 'under way' | 'done' | 'failed'
  error?: unknown
}

/**
 * The one loop: fetch a page, read it, write its rows. It writes the first page of each sequence and fetches ahead of it
 * as far as the concurrency allows: the next page while this one is written, and the children of a page in parallel.
 *
 * Ends when the sequences are empty, or after a stop as soon as no request is under way. What is left in the sequences
 * then goes into the checkpoint. It also ends at the first error, in the order of writing.
 */
export const runSequences = async (sequences: Pending[][], options: IterationOptions): Promise<void> => {
  const { context, stop } = options
  const concurrency = concurrencyOf(options)
  const requests = createRequests(options)
  void stop.signal.then(requests.wake)

  const launchAhead = (): void => {
    if (stop.requested) return
    for (const sequence of sequences) expandAhead(sequence, concurrency, context)
    const ahead = sequences.map(sequence => nextPages(sequence, concurrency))
    for (let depth = 0; depth < concurrency && !stop.requested; depth++) {
      for (const pages of ahead) {
        const [head] = pages
        const page = pages[depth]
        if (requests.underWay() >= concurrency) return
        if (head === undefined || page === undefined) continue
        if (!belongsTogether(head, page) || isSkipped(page, context)) continue
        if (!requests.isBegun(page)) requests.launch(page)
      }
    }
  }

  /** Reads what is first in a sequence when it has come. Returns how to write it, or `undefined` when it must wait. */
  const readNext = (sequence: Pending[]): Write | undefined => {
    const page = sequence[0]
    if (page === undefined || !isPage(page)) return undefined
    if (isSkipped(page, context)) {
      sequence.shift()
      return nothing
    }
    const request = requests.of(page)
    if (request?.state === 'failed') throw request.error
    const { fetched } = page
    if (fetched === undefined) return undefined
    // Items of one answer can be many more than there is time for; the next leg has the file, or the rest of the list
    if (stop.requested && (fetched.items ?? fetched.listAt) !== undefined) return undefined
    stop.progressed()
    requests.drop(page)
    const result = located(page, () => readPage(page, fetched, context))
    replace(sequence, 0, result.next)
    launchAhead()
    return () => {
      writePage(page, result, fetched, options)
      // What lives longer often leads to what is done with, and would keep it until all memory is looked at
      fetched.forget?.()
      result.items = []
    }
  }

  const writes: Write[] = []

  const readAhead = (): void => {
    for (let isMore = true; isMore && writes.length < concurrency; ) {
      isMore = false
      for (const sequence of sequences) {
        const write = readNext(sequence)
        if (write === undefined) continue
        writes.push(write)
        isMore = true
      }
    }
  }

  for (;;) {
    launchAhead()
    // Ask for all that follows before writing: writing is what takes the time
    readAhead()
    const write = writes.shift()
    if (write !== undefined) {
      await setImmediate() // so that the requests for what follows are on their way
      write()
      continue
    }
    if (sequences.every(sequence => sequence.length === 0)) return
    if (stop.requested && requests.underWay() === 0) return
    await requests.change()
  }
}

/** A login before every request is good for one request only. */
const concurrencyOf = ({ plans, authenticatorOf, concurrency }: IterationOptions): number =>
  [...allPlans(plans)].some(plan => authenticatorOf(plan).oneAtATime === true) ? 1 : concurrency

/** The requests under way, and those that have come and are not read yet. */
const createRequests = (options: IterationOptions) => {
  const requests = new Map<PendingPage, Request>()
  let underWay = 0
  let changed = Promise.withResolvers<void>()

  const launch = (page: PendingPage): void => {
    const request: Request = { state: 'under way' }
    requests.set(page, request)
    options.stop.progressed()
    underWay++
    fetchPage(page, options)
      .then(
        fetched => {
          request.state = 'done'
          page.fetched = fetched
        },
        (error: unknown) => {
          // Stopped while it waited for a retry: the page is still to be fetched
          if (error instanceof Stopped) requests.delete(page)
          else Object.assign(request, { state: 'failed', error })
        },
      )
      .finally(() => {
        underWay--
        changed.resolve()
      })
  }

  return {
    launch,
    isBegun: (pending: Pending): boolean =>
      isPage(pending) && (pending.fetched !== undefined || requests.has(pending)),
    of: (page: PendingPage): Request | undefined => requests.get(page),
    drop: (page: PendingPage): void => void requests.delete(page),
    underWay: (): number => underWay,
    wake: (): void => changed.resolve(),
    /** Resolves when one has come, or after `wake`. */
    change: async (): Promise<void> => {
      await changed.promise
      changed = Promise.withResolvers()
    },
  }
}

/** Makes pages of the children that are among the next in a sequence. */
const expandAhead = (sequence: Pending[], concurrency: number, context: JobContext): void => {
  for (let depth = 0, pages = 0; pages < concurrency && depth < sequence.length; depth++) {
    let pending = sequence[depth]
    while (pending !== undefined && !isPage(pending)) {
      const { pages, rest } = expandChildren(pending, concurrency, context)
      replace(sequence, depth, rest === undefined ? pages : [...pages, rest])
      pending = sequence[depth]
    }
    if (pending !== undefined) pages++
  }
}

/** The next pages of a sequence. */
const nextPages = (sequence: readonly Pending[], concurrency: number): PendingPage[] => {
  const pages: PendingPage[] = []
  for (const pending of sequence) {
    if (pages.length >= concurrency || !isPage(pending)) break
    pages.push(pending)
  }
  return pages
}

const nothing: Write = () => {}

/** The top-level job that a run belongs to. */
const rootOf = (run: JobRun): string => run.plan.path.split('.')[0] ?? ''

/** Whether a page may be fetched while `head` is the next to write. Pages of a later job may not. */
const belongsTogether = (head: PageWork, work: PageWork): boolean => rootOf(head.run) === rootOf(work.run)

/** Puts others in the place of one. Without `splice(…, ...others)`: there may be more of them than a call can take. */
const replace = (sequence: Pending[], position: number, others: readonly Pending[]): void => {
  const tail = sequence.splice(position)
  for (const pending of others) sequence.push(pending)
  for (let index = 1; index < tail.length; index++) sequence.push(tail[index] as Pending) // below the length
}

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
  /** Called after the rows of a page went to the sink, with its address. */
  onPage: (url: string) => void
}

/** Sends the request of a page. */
const fetchPage = async (work: PageWork, options: IterationOptions): Promise<FetchedPage> => {
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

/** Whether a page is not needed. What was read before an error rule ended the job counts. */
const isSkipped = ({ run: { plan } }: PageWork, { statistics, maxRows }: JobContext): boolean =>
  statistics.isStopped(plan) || (maxRows !== undefined && statistics.rowsOf(plan) >= maxRows)

/** How the answers of a job are read, when not as JSON only. */
const answerOf = ({ run: { plan, request } }: PageWork, { response }: JobContext) => {
  const settings = plan.job.response ?? response
  if (settings === undefined) return undefined
  return { settings, dataField: plan.job.dataField, endpoint: request.endpoint ?? plan.job.endpoint }
}

const writePage = (
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

const located = <T>(work: PageWork, use: () => T): T => {
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
