import { setImmediate } from 'node:timers/promises'
import type { FetchedPage } from '../http/api-session.ts'
import type { PageWork, PendingChildren } from './job-run.ts'
import { belongsTogether } from './lanes.ts'
import { Stopped } from './stop-signal.ts'
import type { TurnedPage } from './turn-page.ts'

/** A page in a lane; `fetched` is there once it came, in advance of its turn to be written. */
export interface QueuedPage extends PageWork {
  fetched?: FetchedPage
}

/** What waits in a lane: pages, and children that become pages when their turn comes near. */
export type Queued = QueuedPage | PendingChildren

export const isPage = (queued: Queued): queued is QueuedPage => 'request' in queued

export interface RunLanesOptions {
  /** Pages still to do. Within a lane they are written in order; lanes do not wait for each other. */
  lanes: Queued[][]
  /** Requests under way at once. */
  concurrency: number
  fetch: (work: PageWork) => Promise<FetchedPage>
  /** The next pages of children, at least `count` if there are so many, and the children left. */
  expand: (
    children: PendingChildren,
    count: number,
  ) => { pages: PageWork[]; rest: PendingChildren | undefined }
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
      .fetch(page)
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

  /** Makes pages of the children that stand among the next of a lane. */
  const expandAhead = (lane: Queued[]): void => {
    for (let depth = 0; depth < concurrency; depth++) {
      let queued = lane[depth]
      while (queued !== undefined && !isPage(queued)) {
        const { pages, rest } = options.expand(queued, concurrency)
        replace(lane, depth, rest === undefined ? pages : [...pages, rest])
        queued = lane[depth]
      }
    }
  }

  const launchAhead = (): void => {
    if (!stop.requested) lanes.forEach(expandAhead)
    for (let depth = 0; depth < concurrency && !stop.requested; depth++) {
      for (const lane of lanes) {
        const head = lane[0]
        const page = lane[depth]
        if (flying >= concurrency) return
        if (head === undefined || page === undefined || !isPage(head) || !isPage(page)) continue
        if (!belongsTogether(head, page) || options.skip(page)) continue
        if (page.fetched === undefined && !flights.has(page)) launch(page)
      }
    }
  }

  /** Turns the first page of a lane when it is there; what is left to do is the writing. `undefined` where it must wait. */
  const turnNext = (lane: Queued[]): (() => void) | undefined => {
    const page = lane[0]
    if (page === undefined || !isPage(page)) return undefined
    if (options.skip(page)) {
      lane.shift()
      return () => {}
    }
    const flight = flights.get(page)
    if (flight?.state === 'failed') throw flight.error
    const { fetched } = page
    if (fetched === undefined) return undefined
    flights.delete(page)
    const turned = options.turn(page, fetched)
    replace(lane, 0, turned.next)
    launchAhead()
    return () => options.write(page, turned, fetched)
  }

  const writes: (() => void)[] = []
  for (;;) {
    launchAhead()
    // All that follows is asked for before anything is written: writing is what takes the time
    while (writes.length < concurrency) {
      const turned = lanes.map(turnNext).filter(write => write !== undefined)
      if (turned.length === 0) break
      writes.push(...turned)
    }
    const write = writes.shift()
    if (write !== undefined) {
      write()
      await setImmediate() // lets responses in that came meanwhile
      continue
    }
    if (lanes.every(lane => lane.length === 0)) return
    if (stop.requested && flying === 0) return
    await wake.promise
    wake = Promise.withResolvers()
  }
}

/** Puts others in the place of one. Not by `splice` with all of them as arguments: there may be more than it takes. */
const replace = (lane: Queued[], position: number, others: readonly Queued[]): void => {
  const tail = lane.splice(position)
  for (const queued of others) lane.push(queued)
  for (let index = 1; index < tail.length; index++) lane.push(tail[index] as Queued) // below the length
}
