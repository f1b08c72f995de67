import type { FetchedPage } from '../api-session.ts'
import type { PageRequest } from '../request/page-request.ts'
import { Stopped } from '../stop-signal.ts'
import type { PageWork } from './job-run.ts'
import { belongsTogether } from './lanes.ts'
import type { TurnedPage } from './turn-page.ts'

/** A page in a lane; `fetched` is there once it came, in advance of its turn to be written. */
export interface QueuedPage extends PageWork {
  fetched?: FetchedPage
}

export interface RunLanesOptions {
  /** Pages still to do. Within a lane they are written in order; lanes do not wait for each other. */
  lanes: QueuedPage[][]
  /** Requests under way at once. */
  concurrency: number
  fetch: (request: PageRequest) => Promise<FetchedPage>
  turn: (work: PageWork, fetched: FetchedPage) => TurnedPage
  /** Writes the rows of a page; the requests for what follows are under way by then. */
  write: (work: PageWork, page: TurnedPage, fetched: FetchedPage) => void
  /** Pages that need not be fetched any more, such as those past a preview. */
  skip: (work: PageWork) => boolean
  stop: { readonly requested: boolean; readonly signal: Promise<void> }
}

interface Flight {
  state: 'flying' | 'landed' | 'failed'
  error?: unknown
}

/**
 * The one loop: fetch, turn the page, write, go on. It always writes the first page of a lane, and fetches ahead of it as
 * far as the concurrency allows: the next page while this one is written, and the children of a page in parallel.
 *
 * Ends when the lanes are empty, or once a stop is asked for and no request is under way; what is left in the lanes is
 * then the checkpoint. The first error in order of writing ends it too.
 */
export const runLanes = async (options: RunLanesOptions): Promise<void> => {
  const { lanes, concurrency, stop } = options
  const flights = new Map<QueuedPage, Flight>()
  let flying = 0
  let wake = Promise.withResolvers<void>()
  void stop.signal.then(() => wake.resolve())

  const launch = (page: QueuedPage): void => {
    const flight: Flight = { state: 'flying' }
    flights.set(page, flight)
    flying++
    options
      .fetch(page.request)
      .then(
        fetched => {
          flight.state = 'landed'
          page.fetched = fetched
        },
        (error: unknown) => {
          // Stopped while it waited for a retry: the page is still to be fetched
          if (error instanceof Stopped) flights.delete(page)
          else Object.assign(flight, { state: 'failed', error })
        },
      )
      .finally(() => {
        flying--
        wake.resolve()
      })
  }

  const launchAhead = (): void => {
    for (let depth = 0; depth < concurrency && !stop.requested; depth++) {
      for (const lane of lanes) {
        const head = lane[0]
        const page = lane[depth]
        if (flying >= concurrency) return
        if (head === undefined || page === undefined || !belongsTogether(head, page)) continue
        if (page.fetched === undefined && !flights.has(page)) launch(page)
      }
    }
  }

  const writeNext = (lane: QueuedPage[]): boolean => {
    while (lane[0] !== undefined && options.skip(lane[0])) lane.shift()
    const page = lane[0]
    if (page === undefined) return false
    const flight = flights.get(page)
    if (flight?.state === 'failed') throw flight.error
    const { fetched } = page
    if (fetched === undefined) return false
    lane.shift()
    flights.delete(page)
    const turned = options.turn(page, fetched)
    lane.unshift(...turned.next)
    launchAhead()
    options.write(page, turned, fetched)
    return true
  }

  for (;;) {
    launchAhead()
    // A list, not `some`: every lane gets its turn
    const wrote = lanes.map(writeNext).includes(true)
    if (wrote) continue
    if (lanes.every(lane => lane.length === 0)) return
    if (stop.requested && flying === 0) return
    await wake.promise
    wake = Promise.withResolvers()
  }
}
