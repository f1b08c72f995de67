import type { Budget } from '../../config/limits-schema.ts'
import type { Log } from '../masking/log.ts'

/** Requests that were sent lately: when the slot of time began, in seconds since 1970, and how many. Plain JSON. */
export type SentLately = [at: number, requests: number][]

export type RequestBudget = ReturnType<typeof createRequestBudget>

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
