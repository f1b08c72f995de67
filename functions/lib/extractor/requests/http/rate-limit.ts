import type { Budget } from '../../config/api-schema.ts'
import { firstHeader, type ResponseHeaders } from '../answers/http-response.ts'
import type { Log } from '../masking/masker.ts'

const remainingNames = ['ratelimit-remaining', 'x-ratelimit-remaining', 'x-rate-limit-remaining']
const resetNames = ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset']

/**
 * Seconds until the server takes requests again; `undefined` when it says nothing, not until when, or has requests left.
 *
 * Reads `RateLimit-Remaining`/`-Reset` and their `X-` forms. A reset is a number of seconds, a Unix time (also in milliseconds) or a date.
 *
 * @param now seconds since 1970
 */
export const rateLimitResetSeconds = (headers: ResponseHeaders, now: number): number | undefined => {
  const remaining = firstOf(headers, remainingNames)
  const hasNone = remaining !== undefined && remaining.trim() !== '' && Number(remaining) <= 0
  return hasNone ? toSeconds(firstOf(headers, resetNames), now) : undefined
}

const firstOf = (headers: ResponseHeaders, names: readonly string[]): string | undefined =>
  names.map(name => firstHeader(headers, name)).find(value => value !== undefined)

const toSeconds = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined || value.trim() === '') return undefined
  const number = Number(value)
  if (Number.isNaN(number)) {
    const date = Date.parse(value)
    return Number.isNaN(date) ? undefined : Math.max(0, date / 1000 - now)
  }
  if (number > 1e11) return Math.max(0, number / 1000 - now) // milliseconds since 1970
  if (number > 1e8) return Math.max(0, number - now) // seconds since 1970
  return Math.max(0, number)
}

interface RateLimitGateOptions {
  /** Longer waits are not worth it: the request is sent, and the server says what it thinks of it. */
  longestSeconds: number
  log: Log
  now: () => number
  wait: (seconds: number) => Promise<void>
  /** Called once for each limit that is waited for. */
  onWait?: ((seconds: number) => void) | undefined
}

interface Place {
  /** Seconds since 1970. */
  opensAt: number
  /** A long wait has ended: the next answer shows what it was good for. */
  hasWaitedLong: boolean
  /** It says that nothing is left whatever the time is. */
  isDoubted: boolean
}

/** Waits up to this many seconds are worth it whatever the server said before. */
const SHORT_SECONDS = 60

/** Two answers may round the end of one limit differently. */
const SAME_LIMIT_SECONDS = 2

/** After an answer that says that no request is left, sends none to its server until the limit opens. */
export const createRateLimitGate = ({ longestSeconds, log, now, wait, onWait }: RateLimitGateOptions) => {
  const places = new Map<string, Place>()

  const placeOf = (origin: string): Place => {
    const place = places.get(origin) ?? { opensAt: 0, hasWaitedLong: false, isDoubted: false }
    places.set(origin, place)
    return place
  }

  const close = (place: Place, seconds: number): boolean => {
    const isNew = now() + seconds > place.opensAt + SAME_LIMIT_SECONDS
    if (isNew) onWait?.(seconds)
    place.opensAt = Math.max(place.opensAt, now() + seconds)
    return isNew
  }

  return {
    /** Resolves when a request may be sent. */
    enter: async (origin: string): Promise<void> => {
      const place = placeOf(origin)
      for (;;) {
        const { opensAt } = place
        const seconds = opensAt - now()
        if (seconds <= 0) return
        await wait(seconds)
        place.hasWaitedLong = seconds > SHORT_SECONDS
        if (place.opensAt === opensAt) place.opensAt = 0 // whatever the clock says
      }
    },
    /** After an answer. */
    learn: (origin: string, headers: ResponseHeaders): void => {
      const place = placeOf(origin)
      const seconds = rateLimitResetSeconds(headers, now())
      if (place.hasWaitedLong && seconds !== undefined && !place.isDoubted) {
        place.isDoubted = true
        log.warning(
          `${origin} says that it takes no more requests right after its limit was to open. Only waits of up to ${SHORT_SECONDS} s are kept from now on.`,
        )
      }
      place.hasWaitedLong = false
      const longest = place.isDoubted ? Math.min(SHORT_SECONDS, longestSeconds) : longestSeconds
      if (seconds === undefined || seconds <= 0 || seconds > longest) return
      if (close(place, seconds))
        log.info(
          `${origin} takes no more requests for now: waiting ${seconds.toFixed(1)} s until its limit opens.`,
        )
    },
    /** The server refused a request: no other is sent for so long. */
    close: (origin: string, seconds: number): void => void close(placeOf(origin), seconds),
  }
}

/** Requests that were sent lately: when the slot of time began, in seconds since 1970, and how many. Plain JSON. */
export type SentLately = [at: number, requests: number][]

interface RequestBudgetOptions {
  settings: Budget
  /** By the legs before. */
  sent: SentLately
  log: Log
  now: () => number
  wait: (seconds: number) => Promise<void>
  onWait: (seconds: number) => void
}

/** Slots of one span. What is sent in a slot counts as sent at its end, so that no span ever sees more than it may. */
const SLOTS = 100

/** Lets so many requests through in any span of so many seconds, and makes the others wait. */
export const createRequestBudget = ({ settings, sent, log, now, wait, onWait }: RequestBudgetOptions) => {
  const { requests, seconds } = settings
  const slot = seconds / SLOTS
  const counts = seconds + slot
  let lately: SentLately = sent
  let waiting: Promise<void> | undefined

  const untilFree = async (): Promise<void> => {
    const [oldest = now()] = lately[0] ?? []
    const waitSeconds = Math.max(oldest + counts - now(), 0.001) // else time would stand still
    log.info(
      `The budget of ${requests} requests in ${seconds} s is used up: waiting ${waitSeconds.toFixed(1)} s.`,
    )
    onWait(waitSeconds)
    await wait(waitSeconds)
  }

  return {
    /** Resolves when a request may be sent. */
    take: async (): Promise<void> => {
      for (;;) {
        // A clock that was far ahead must not close the budget
        lately = lately.filter(([at]) => at + counts > now() && at - counts < now())
        if (lately.reduce((sum, [, count]) => sum + count, 0) < requests) break
        waiting ??= untilFree().finally(() => {
          waiting = undefined
        })
        await waiting
      }
      const last = lately.at(-1)
      if (last !== undefined && now() - last[0] < slot) last[1]++
      else lately.push([now(), 1])
    },
    save: (): SentLately => lately,
  }
}
