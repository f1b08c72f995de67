import type { ResponseHeaders } from '../answers/http-response.ts'
import type { Log } from '../masking/log.ts'
import { readRateLimit } from './rate-limit.ts'

interface RateLimitGateOptions {
  /** Longer waits are not worth it: the request is sent, and the server says what it thinks of it. */
  longestSeconds: number
  log: Log
  now: () => number
  wait: (seconds: number) => Promise<void>
  /** Called once for each limit that is waited for. */
  onWait?: ((seconds: number) => void) | undefined
}

export type RateLimitGate = ReturnType<typeof createRateLimitGate>

interface Place {
  underWay: number
  limit: Limit | undefined
  answered: PromiseWithResolvers<void>
  /** When a long wait ended, until the next answer shows what it was good for. */
  longWaitAt: number | undefined
  /** It says that nothing is left whatever the time is. */
  isDoubted: boolean
}

interface Limit {
  remaining: number
  /** Of these, what is not taken by requests that it may not have counted yet. */
  left: number
  /** Seconds since 1970. */
  opensAt: number
  /** Counted as `enter` counts. */
  learntAt: number
  /** The limit has just opened: one request goes first, and its answer says how many may follow. */
  isTried: boolean
  /** The server refused a request, which counts more than what answers under way then said. */
  isRefusal: boolean
  isSaid: boolean
}

/** Waits up to this many seconds are worth it whatever the server said before. */
const SHORT_SECONDS = 60

/** Two answers of one window may round its end differently. */
const SAME_WINDOW_SECONDS = 2

/**
 * Learns from each answer how many requests a server still takes, counts those under way, and sends no more than that until the limit opens.
 * Does nothing where servers say nothing of limits.
 */
export const createRateLimitGate = (options: RateLimitGateOptions) => {
  const { log, now, wait, longestSeconds } = options
  const places = new Map<string, Place>()
  let count = 0

  const placeOf = (origin: string): Place => {
    const known = places.get(origin)
    if (known !== undefined) return known
    const place = emptyPlace()
    places.set(origin, place)
    return place
  }

  const untilOpen = async (origin: string, place: Place, limit: Limit): Promise<void> => {
    const seconds = limit.opensAt - now()
    if (seconds > 0) {
      if (!limit.isSaid) {
        limit.isSaid = true
        log.info(
          `${origin} takes no more requests for now: waiting ${seconds.toFixed(1)} s until its limit opens.`,
        )
        options.onWait?.(seconds)
      }
      await wait(seconds)
      if (seconds > SHORT_SECONDS) place.longWaitAt = count
    }
    if (place.limit === limit) place.limit = { ...limit, left: 1, isTried: true, isRefusal: false }
  }

  const learn = (origin: string, place: Place, entered: number, headers: ResponseHeaders): void => {
    const said = readRateLimit(headers, now())
    if (place.longWaitAt !== undefined && entered >= place.longWaitAt) {
      place.longWaitAt = undefined
      if (said?.left === 0 && !place.isDoubted) {
        place.isDoubted = true
        log.warning(
          `${origin} says that it takes no more requests right after its limit was to open. Only waits of up to ${SHORT_SECONDS} s are kept from now on.`,
        )
      }
    }
    const longest = place.isDoubted ? Math.min(SHORT_SECONDS, longestSeconds) : longestSeconds
    const known = place.limit
    if (known?.isRefusal === true && entered < known.learntAt) return
    if (said === undefined || said.seconds <= 0 || said.seconds > longest) {
      // What an earlier answer said holds on, but for the one that was to show how many may follow
      if (said !== undefined || known?.isTried === true) place.limit = undefined
      return
    }
    place.limit = limitAfter(place, entered, {
      left: said.left,
      opensAt: now() + said.seconds,
      learntAt: ++count,
    })
  }

  return {
    /** Resolves when a request may be sent, to what `leave` needs to know. */
    enter: async (origin: string): Promise<number> => {
      const place = placeOf(origin)
      for (;;) {
        const { limit } = place
        if (limit === undefined) break
        if (limit.left > 0) {
          limit.left--
          break
        }
        if (place.underWay > 0 && (limit.isTried || limit.remaining > 0)) {
          await place.answered.promise
          await wait(0) // rejects after a stop
        } else {
          await untilOpen(origin, place, limit)
        }
      }
      place.underWay++
      return ++count
    },
    /** After its answer, or after none (`headers` undefined). */
    leave: (origin: string, entered: number, headers: ResponseHeaders | undefined): void => {
      const place = placeOf(origin)
      place.underWay--
      if (headers !== undefined) learn(origin, place, entered, headers)
      else if (place.limit?.isTried === true) place.limit = undefined
      place.answered.resolve()
      place.answered = Promise.withResolvers()
    },
    /** The server refused a request: no other is sent for so long. */
    close: (origin: string, seconds: number): void => {
      const place = placeOf(origin)
      const opensAt = Math.max(now() + seconds, place.limit?.opensAt ?? 0)
      const closed = { remaining: 0, left: 0, isTried: false, isRefusal: true, isSaid: true }
      place.limit = { ...closed, opensAt, learntAt: ++count }
      options.onWait?.(seconds)
    },
  }
}

const emptyPlace = (): Place => ({
  underWay: 0,
  limit: undefined,
  answered: Promise.withResolvers(),
  longWaitAt: undefined,
  isDoubted: false,
})

/** What holds after an answer. Answers overtake each other: of one window the lower number is the newer one. */
const limitAfter = (
  { limit: known, underWay }: Place,
  entered: number,
  said: Pick<Limit, 'left' | 'opensAt' | 'learntAt'>,
): Limit => {
  const isOfThen =
    known !== undefined &&
    !known.isTried &&
    entered < known.learntAt &&
    Math.abs(said.opensAt - known.opensAt) <= SAME_WINDOW_SECONDS
  const remaining = isOfThen ? Math.min(said.left, known.remaining) : said.left
  return {
    ...said,
    remaining,
    left: Math.max(0, remaining - underWay),
    isTried: false,
    isRefusal: false,
    isSaid: isOfThen && known.isSaid,
  }
}
