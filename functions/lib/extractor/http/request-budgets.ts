import type { Budget } from '../config/limits-schema.ts'
import {
  createRequestBudget,
  memoryBudget,
  type RequestBudget,
  type RequestBudgetOptions,
  type SharedBudgets,
} from './request-budget.ts'

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
