import type { ResponseHeaders } from '../answers/http-response.ts'
import type { Log } from '../masking/log.ts'
import { rateLimitResetSeconds } from './rate-limit.ts'

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
