import { setImmediate } from 'node:timers/promises'
import { UserError } from '../../errors/errors.ts'
import type { FetchedPage } from '../requests/http/parse-response.ts'
import { allPlans } from './job-plan.ts'
import type { Iteration } from './prepare-iteration.ts'
import { type PageResult, readPage } from './read-page.ts'
import { expandChildren, isPage, type JobRun, type Pending, type PendingPage } from './start-run.ts'
import { Stopped } from './stop-signal.ts'
import { nameOf } from './watch-run.ts'

/** Answers that wait for their turn are kept in memory, and by a checkpoint: past so many bytes of them only what is next is asked for. */
const AHEAD_BYTES = 64 * 1024 * 1024

/** Writes what was read, in its turn. */
type Write = () => void

/**
 * The one loop: fetch a page, read it, write its rows. It writes the first page of each sequence and fetches ahead of it
 * as far as the concurrency allows: the next page while this one is written, and the children of a page in parallel.
 *
 * Ends when the sequences are empty, or after a stop as soon as no request is under way. What is left in the sequences
 * then goes into the checkpoint. It also ends at the first error, in the order of writing.
 *
 * @param onPage called after the rows of a page went to the sink, with its address
 */
export const runSequences = async (
  sequences: Pending[][],
  iteration: Iteration,
  onPage: (url: string) => void,
): Promise<void> => {
  const { stop } = iteration
  const concurrency = concurrencyOf(iteration)
  const requests = createRequests(iteration)
  void stop.signal.then(requests.wake)

  const launchAhead = (): void => {
    if (stop.requested) return
    for (const sequence of sequences) expandAhead(sequence, concurrency, iteration)
    const ahead = sequences.map(sequence => nextPages(sequence, concurrency))
    const bytes = ahead.flat().reduce((sum, { fetched }) => sum + (fetched?.body.length ?? 0), 0)
    for (let depth = 0; depth < (bytes > AHEAD_BYTES ? 1 : concurrency) && !stop.requested; depth++) {
      for (const pages of ahead) {
        const [head] = pages
        const page = pages[depth]
        if (requests.underWay() >= concurrency) return
        if (head === undefined || page === undefined) continue
        if (page.asked !== undefined || page.fetched !== undefined) continue
        // Pages of a later job may not be fetched while this one is to be written
        if (rootOf(head.run) === rootOf(page.run) && !isSkipped(page, iteration)) requests.launch(page)
      }
    }
  }

  /** Reads what is first in a sequence when it has come. Returns how to write it, or `undefined` when it must wait. */
  const readNext = (sequence: Pending[]): Write | undefined => {
    const page = sequence[0]
    if (page === undefined || !isPage(page)) return undefined
    if (isSkipped(page, iteration)) {
      sequence.shift()
      return () => {}
    }
    if (page.asked?.error !== undefined) throw page.asked.error
    const { fetched } = page
    if (fetched === undefined) return undefined
    // Items of one answer can be many more than there is time for; the next leg has the file, or the rest of the list
    if (stop.requested && (fetched.items !== undefined || fetched.at > 0)) return undefined
    stop.progressed()
    const result = located(page, () => readPage(page, fetched, iteration))
    replace(sequence, 0, result.next)
    launchAhead()
    return () => {
      located(page, () => writeRows(page.run, result, iteration))
      onPage(fetched.url)
      // What lives longer often leads to what is done with, and would keep it until all memory is looked at
      if (!result.next.includes(page)) fetched.forget?.()
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
    if (sequences.every(sequence => sequence.length === 0)) return refuseEmpty(iteration)
    if (stop.requested && requests.underWay() === 0) return
    await requests.change()
  }
}

/** A login before every request is good for one request only. */
const concurrencyOf = ({ plans, authenticatorOf, concurrency }: Iteration): number =>
  [...allPlans(plans)].some(plan => authenticatorOf(plan).oneAtATime === true) ? 1 : concurrency

/** Sends what pages ask for. Each page then has its answer, or the error that came in its place. */
const createRequests = (iteration: Iteration) => {
  let underWay = 0
  let changed = Promise.withResolvers<void>()

  const launch = (page: PendingPage): void => {
    page.asked = {}
    iteration.stop.progressed()
    underWay++
    requestPage(page, iteration)
      .then(
        fetched => {
          page.fetched = fetched
        },
        (error: unknown) => {
          // Stopped while it waited for a retry: the page is still to be fetched
          page.asked = error instanceof Stopped ? undefined : { error: locateError(error, page) }
        },
      )
      .finally(() => {
        underWay--
        changed.resolve()
      })
  }

  return {
    launch,
    underWay: (): number => underWay,
    wake: (): void => changed.resolve(),
    /** Resolves when one has come, or after `wake`. */
    change: async (): Promise<void> => {
      await changed.promise
      changed = Promise.withResolvers()
    },
  }
}

/** Sends the request of a page. */
const requestPage = (
  { run, request }: PendingPage,
  { fetchPage, authenticatorOf, parsed }: Iteration,
): Promise<FetchedPage> => {
  const { plan, paginator } = run
  return fetchPage(request, authenticatorOf(plan), {
    emptyIsLast: paginator.emptyIsLast === true,
    settings: plan.job.response ?? parsed.api.response,
    endpoint: nameOf(run),
    ruleFor: plan.ruleFor,
  })
}

/** Makes pages of the children that are among the next in a sequence. */
const expandAhead = (sequence: Pending[], concurrency: number, iteration: Iteration): void => {
  for (let depth = 0, pages = 0; pages < concurrency && depth < sequence.length; depth++) {
    let pending = sequence[depth]
    while (pending !== undefined && !isPage(pending)) {
      replace(sequence, depth, expandChildren(pending, concurrency, iteration))
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

/** The top-level job that a run belongs to. */
const rootOf = (run: JobRun): string => run.plan.path.split('.')[0] ?? ''

/** Puts others in the place of one. Without `splice(…, ...others)`: there may be more of them than a call can take. */
const replace = (sequence: Pending[], position: number, others: readonly Pending[]): void => {
  const tail = sequence.splice(position)
  for (const pending of others) sequence.push(pending)
  for (let index = 1; index < tail.length; index++) sequence.push(tail[index] as Pending) // below the length
}

/** Whether a page is not needed. What was read before an error rule ended the job counts. */
const isSkipped = ({ run: { plan } }: PendingPage, { statistics, roomOf }: Iteration): boolean =>
  statistics.isStopped(plan) || roomOf(plan) === 0

const writeRows = ({ plan, columns }: JobRun, { items, source }: PageResult, { sink }: Iteration): void => {
  if (items.length > 0) sink.add(plan.dataType, items, { parent: columns, source })
}

const located = <T>(work: PendingPage, use: () => T): T => {
  try {
    return use()
  } catch (error) {
    throw locateError(error, work)
  }
}

/** A user's error with the job and the request that it came from in its params; others as they are. */
const locateError = (error: unknown, { run: { plan }, request }: PendingPage): unknown => {
  if (!(error instanceof UserError)) return error
  const { code, message, status, params, cause } = error
  const place = { job: plan.path, dataType: plan.dataType, request: `${request.method} ${request.endpoint}` }
  return new UserError(code, message, { status, params: { ...place, ...params }, cause })
}

/** @throws UserError `extractor.job.empty` for a job that must not be empty (`failWhenEmpty`) and gave no row */
const refuseEmpty = ({ plans, statistics }: Iteration): void => {
  for (const plan of allPlans(plans)) {
    if (plan.job.failWhenEmpty !== true || statistics.of(plan).rows > 0) continue
    throw new UserError('extractor.job.empty', `Job '${plan.job.endpoint}' gave no rows ("failWhenEmpty").`)
  }
}
