import { statSync } from 'node:fs'
import type { Budget } from '../../config/api-schema.ts'
import type { HttpResponse } from '../answers/http-response.ts'
import type { Log } from '../masking/masker.ts'
import { NetworkFailure, type Outcome } from './network-failure.ts'
import type { RateLimitGate } from './rate-limit.ts'

/** Says when each request of a run may be sent. */
export interface Admission {
  /** Resolves when a request may be sent, to what is to be called with what became of it; with nothing when it was not sent. */
  enter(origin: string): Promise<(outcome: Outcome | undefined) => void>
  close(origin: string, seconds: number): void
}

interface AdmissionOptions {
  gate: RateLimitGate
  traffic: Traffic
  budget: RequestBudget | undefined
  /** Called for each request that is sent; what it returns, when it has come back. */
  sends: () => () => void
}

export const createAdmission = ({ gate, traffic, budget, sends }: AdmissionOptions): Admission => ({
  enter: async origin => {
    await gate.enter(origin)
    await budget?.take()
    traffic.requests++
    const cameBack = sends()
    return outcome => {
      cameBack()
      const answer = outcome instanceof NetworkFailure ? undefined : outcome
      if (answer === undefined) return
      traffic.bytes += sizeOf(answer)
      gate.learn(origin, answer.headers)
    }
  },
  close: gate.close,
})

const sizeOf = ({ body, file }: HttpResponse): number =>
  file === undefined ? body.length : statSync(file).size

/** What a run has asked of its API so far, all legs together. */
export interface Traffic {
  /** Requests that were sent, logins, redirects and retries among them. */
  requests: number
  /** Of bodies, unpacked. */
  bytes: number
  /** How often and how long all requests waited for the API to take more. */
  waits: number
  waitedSeconds: number
}

export const newTraffic = (): Traffic => ({ requests: 0, bytes: 0, waits: 0, waitedSeconds: 0 })

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
