import type { ExtractorConfig } from '../config/parse-config.ts'
import { type Admission, createAdmission } from '../requests/http/admission.ts'
import { createRateLimitGate } from '../requests/http/rate-limit-gate.ts'
import { createRequestBudget, type RequestBudget } from '../requests/http/request-budget.ts'
import { retrySettings } from '../requests/http/retry-settings.ts'
import { createRunBounds } from '../requests/http/run-bounds.ts'
import type { Traffic } from '../requests/http/traffic.ts'
import type { Log } from '../requests/masking/log.ts'
import type { Leg } from './checkpoint.ts'
import type { StopSignal } from './stop-signal.ts'

interface RequestsOptions {
  parsed: ExtractorConfig
  leg: Leg
  rows: () => number
  now: () => number
  log: Log
  stop: StopSignal
  /** Ends waits with the error that ended the run. */
  aborted: AbortSignal
}

/** Limits of the run, its budget, and what the API says of its own limits. */
export const createRunRequests = (given: RequestsOptions) => {
  const { parsed, leg, rows, now, log, stop, aborted } = given
  const { api } = parsed
  const traffic: Traffic = { ...leg.traffic }
  const bounds = createRunBounds({
    limits: api.limits,
    traffic,
    rows,
    startedAt: leg.currentStart,
    now,
    log,
    reached: leg.reached,
  })
  const waits = {
    wait: (seconds: number): Promise<void> => stop.waitOrStop(seconds, aborted),
    onWait: (seconds: number): void => {
      traffic.waits++
      traffic.waitedSeconds += seconds
    },
  }
  const budgets = new Map<string, RequestBudget>()
  /** Of each API that the run reads. */
  const budgetOf = (origin: string): RequestBudget | undefined => {
    const settings = api.http?.budget
    const known = budgets.get(origin)
    if (settings === undefined || known !== undefined) return known
    const budget = createRequestBudget({ settings, sent: leg.budgets?.[origin] ?? [], log, now, ...waits })
    budgets.set(origin, budget)
    return budget
  }
  const longestSeconds = retrySettings(api.retryConfig).maxTotalSeconds
  const gate = createRateLimitGate({ longestSeconds, log, now, ...waits })
  return {
    traffic,
    bounds,
    /** For one request alone, such as before a retry. */
    wait: (seconds: number): Promise<void> => stop.wait(seconds, aborted),
    /** What the next leg has to know of its budgets. */
    saveBudgets: () => Object.fromEntries([...budgets].map(([origin, budget]) => [origin, budget.save()])),
    /** @param origin of the API that an iteration reads */
    admissionFor: (origin: string): Admission =>
      createAdmission({ gate, traffic, bounds, budget: budgetOf(origin), sends: stop.sends }),
  }
}
