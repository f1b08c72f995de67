import { statSync } from 'node:fs'
import type { Api } from '../../config/api-schema.ts'
import type { Log } from '../masking/masker.ts'
import { NetworkFailure, type Outcome } from './network-failure.ts'
import { createRateLimitGate, createRequestBudget, type SentLately } from './rate-limit.ts'
import { retrySettings } from './retry-delay.ts'

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

interface AdmissionsOptions {
  api: Api
  /** By the legs before. */
  before: { traffic: Traffic; budgets?: Readonly<Record<string, SentLately>> | undefined }
  now: () => number
  log: Log
  /** Waits as all requests do. */
  wait: (seconds: number) => Promise<void>
  /** Called for each request that is sent; what it returns, when it has come back. */
  sends: () => () => void
}

/** Says when each request of an API may be sent. */
export type Admission = ReturnType<ReturnType<typeof createAdmissions>['of']>

/** The budget of the run, and what APIs say of their own limits. */
export const createAdmissions = ({ api, before, now, log, wait, sends }: AdmissionsOptions) => {
  const traffic = { ...before.traffic }
  const onWait = (seconds: number): void => {
    traffic.waits++
    traffic.waitedSeconds += seconds
  }
  const longestSeconds = retrySettings(api.retryConfig).maxTotalSeconds
  const gate = createRateLimitGate({ longestSeconds, log, now, wait, onWait })
  const budgets = new Map<string, ReturnType<typeof createRequestBudget>>()
  const settings = api.http?.budget
  return {
    traffic,
    /** What the next leg has to know of its budgets. */
    saveBudgets: () => Object.fromEntries([...budgets].map(([origin, budget]) => [origin, budget.save()])),
    /** @param origin of the API that an iteration reads */
    of: (origin: string) => {
      const sent = before.budgets?.[origin] ?? []
      if (settings !== undefined && !budgets.has(origin))
        budgets.set(origin, createRequestBudget({ settings, sent, log, now, wait, onWait }))
      return {
        /** Resolves when a request may be sent, to what is to be called with what became of it; with nothing when it was not sent. */
        enter: async (to: string) => {
          await gate.enter(to)
          await budgets.get(origin)?.take()
          traffic.requests++
          const cameBack = sends()
          return (outcome: Outcome | undefined): void => {
            cameBack()
            if (outcome === undefined || outcome instanceof NetworkFailure) return
            const { body, file, headers } = outcome
            traffic.bytes += file === undefined ? body.length : statSync(file).size
            gate.learn(to, headers)
          }
        },
        close: gate.close,
      }
    },
  }
}
