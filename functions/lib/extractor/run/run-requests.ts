import type { Budget } from '../config/limits-schema.ts'
import type { ExtractorConfig } from '../config/parse-config.ts'
import { type Admission, createAdmission } from '../requests/http/admission.ts'
import { createRateLimitGate } from '../requests/http/rate-limit-gate.ts'
import {
  createRequestBudget,
  memoryBudget,
  type RequestBudget,
  type RequestBudgetOptions,
  type SharedBudgets,
} from '../requests/http/request-budget.ts'
import { retrySettings } from '../requests/http/retry-settings.ts'
import { createRunBounds } from '../requests/http/run-bounds.ts'
import type { Traffic } from '../requests/http/traffic.ts'
import type { Log } from '../requests/masking/log.ts'
import type { Leg } from './checkpoint.ts'
import type { ExtractOptions } from './extract-options.ts'
import type { StopSignal } from './stop-signal.ts'

interface RequestsOptions {
  parsed: ExtractorConfig
  options: Pick<ExtractOptions, 'budgets'>
  secrets: Iterable<string>
  leg: Leg
  rows: () => number
  now: () => number
  log: Log
  stop: StopSignal
  /** Ends waits with the error that ended the run. */
  aborted: AbortSignal
}

/** Limits of the run, budgets that it shares, and what the API says of its own limits. */
export const createRunRequests = (given: RequestsOptions) => {
  const { parsed, options, leg, rows, now, log, stop, aborted } = given
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
  const budgetOf = createRequestBudgets({
    settings: api.http?.budget,
    shared: options.budgets,
    secrets: given.secrets,
    log,
    now,
    ...waits,
  })
  const longestSeconds = retrySettings(api.retryConfig).maxTotalSeconds
  const gate = createRateLimitGate({ longestSeconds, log, now, ...waits })
  return {
    traffic,
    bounds,
    /** For one request alone, such as before a retry. */
    wait: (seconds: number): Promise<void> => stop.wait(seconds, aborted),
    /** @param origin of the API that an iteration reads */
    admissionFor: (origin: string): Admission =>
      createAdmission({ gate, traffic, bounds, budget: budgetOf(origin), sends: stop.sends }),
  }
}

interface RequestBudgetsOptions extends Omit<RequestBudgetOptions, 'settings' | 'store'> {
  /** Undefined: requests are not counted. */
  settings: Budget | undefined
  /** Undefined: nobody else is asked. */
  shared: SharedBudgets | undefined
  /** What tells accounts apart where the configuration does not name its own. */
  secrets: Iterable<string>
}

/** The budget of each API that a run reads, by origin. */
export const createRequestBudgets = ({ settings, shared, secrets, ...options }: RequestBudgetsOptions) => {
  const known = new Map<string, RequestBudget>()
  return (origin: string): RequestBudget | undefined => {
    if (settings === undefined) return undefined
    const before = known.get(origin)
    if (before !== undefined) return before
    const account = settings.account ?? [...new Set(secrets)].sort()
    const store = shared?.store(shared.digest(JSON.stringify([origin, account]))) ?? memoryBudget()
    const budget = createRequestBudget({ ...options, settings, store })
    known.set(origin, budget)
    return budget
  }
}
